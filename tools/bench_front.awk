# bench_front.awk - prints a valid NNEF document of about -v megabytes=N, -v kind=flat|compositional
#
# Flat is what converters write: variables first, then one primitive a line. Compositional is what
# people write, and worse: each block has a fragment of its own, made of fragments and operators.
function flat_variables(i)
{
    printf "    variable%d = variable<scalar>(shape = [16, 16, 3, 3], label = 'variable%d');\n", 2 * i, 2 * i
    printf "    variable%d = variable<scalar>(shape = [1, 16], label = 'variable%d');\n", 2 * i + 1, 2 * i + 1
}

function flat_block(i)
{
    printf "    conv%d = conv(add%d, variable%d, variable%d, stride = [1, 1], dilation = [1, 1], " \
           "padding = [(1, 1), (1, 1)], groups = 1);\n", i, 2 * i, 2 * i, 2 * i + 1
    printf "    add%d = add(conv%d, 0.5);\n", 2 * i + 1, i
    printf "    clamp%d = clamp(add%d, 0.0, 1.0);\n", i, 2 * i + 1
    printf "    mul%d = mul(conv%d, clamp%d);\n", i, i, i
    printf "    relu%d = relu(mul%d);\n", i, i
    printf "    add%d = add(relu%d, add%d);\n", 2 * i + 2, i, 2 * i
}

function flat(count,    i)
{
    print "version 1.0;\n\ngraph flat(add0) -> (add" 2 * count ")\n{"
    print "    add0 = external<scalar>(shape = [1, 16, 32, 32]);"
    for (i = 0; i < count; i++) flat_variables(i)
    for (i = 0; i < count; i++) flat_block(i)
    print "}"
}

function fragment(i)
{
    printf "fragment block%d(input: tensor<scalar>, layers: tensor<scalar>[], stride: integer = 1) " \
           "-> (output: tensor<scalar>)\n{\n", i
    print "    [filter, bias] = layers;"
    print "    filtered = conv(input, filter, bias, stride = [stride] * 2, padding = [(1, 1)] * 2);"
    print "    gated = gate(filtered, low = 0.0, high = 1.0) if stride == 1 else filtered;"
    print "    output = max(gated * 0.5, 0.0) + input;\n}\n"
}

function invocation(i)
{
    printf "    x%d = block%d(x%d, [for extents in [[16, 16, 3, 3], [1, 16]], part in ['filter', 'bias'] yield\n" \
           "        variable<scalar>(shape = extents, label = 'block%d/' + part)]);\n", i + 1, i, i, i
}

function compositional(count,    i)
{
    print "version 1.0;\n\nextension KHR_enable_fragment_definitions;"
    print "extension KHR_enable_operator_expressions;\n"
    print "fragment gate(x: tensor<scalar>, low: scalar, high: scalar) -> (y: tensor<scalar>)"
    print "{\n    y = x * clamp(x + 0.5, low, high);\n}\n"
    for (i = 0; i < count; i++) fragment(i)
    print "graph compositional(x0) -> (x" count ")\n{"
    print "    x0 = external<scalar>(shape = [1, 16, 32, 32]);"
    for (i = 0; i < count; i++) invocation(i)
    print "}"
}

BEGIN {
    if (kind == "flat")
        flat(int(megabytes * 1000000 / 490))
    else
        compositional(int(megabytes * 1000000 / 560))
}
