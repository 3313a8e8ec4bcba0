# bench_front.awk - prints a valid NNEF document of about -v megabytes=N, -v kind=flat|compositional
#
# Flat is what converters write: variables first, then one operation a line. Compositional is what
# people write, and worse: every block has a fragment of its own, made of generic fragments,
# comprehensions, branches and operators, and is invoked twice.

function variable(extents)
{
    variables++
    printf "    variable%d = variable<scalar>(shape = [%s], label = 'variable%d');\n",
           variables, extents, variables
}

function flat_variables()
{
    variable("32, 32, 3, 3"); variable("1, 32")
    variable("32, 1, 3, 3"); variable("1, 32")
    variable("1, 32"); variable("1, 32"); variable("1, 32"); variable("1, 32")
    variable("32, 64, 1, 1"); variable("1, 32")
    variable("1"); variable("1")
}

function operation(name, i, arguments)
{
    printf "    %s%d = %s(%s);\n", name, i, name, arguments
}

function windows(padding)
{
    return "padding = [(" padding ", " padding "), (" padding ", " padding ")], " \
           "stride = [1, 1], dilation = [1, 1]"
}

function flat_block(i,    v, j)
{
    v = 12 * i; j = 2 * i
    operation("conv", 3 * i + 1, "add" 3 * i ", variable" v + 1 ", variable" v + 2 ", border = 'constant', " windows(1) ", groups = 1")
    operation("batch_normalization", i + 1, "conv" 3 * i + 1 ", variable" v + 5 ", variable" v + 6 ", variable" v + 7 ", variable" v + 8 ", epsilon = 1e-05")
    operation("unsqueeze", j + 1, "variable" v + 11 ", axes = [1, 2, 3]")
    operation("unsqueeze", j + 2, "variable" v + 12 ", axes = [1, 2, 3]")
    operation("mul", 3 * i + 1, "unsqueeze" j + 1 ", batch_normalization" i + 1)
    operation("add", 3 * i + 1, "mul" 3 * i + 1 ", unsqueeze" j + 2)
    operation("add", 3 * i + 2, "add" 3 * i + 1 ", 3.0")
    operation("clamp", i + 1, "add" 3 * i + 2 ", 0.0, 6.0")
    operation("mul", 3 * i + 2, "add" 3 * i + 1 ", clamp" i + 1)
    operation("div", i + 1, "mul" 3 * i + 2 ", 6.0")
    operation("conv", 3 * i + 2, "div" i + 1 ", variable" v + 3 ", variable" v + 4 ", border = 'constant', " windows(1) ", groups = 0")
    operation("relu", i + 1, "conv" 3 * i + 2)
    operation("max_pool", i + 1, "relu" i + 1 ", size = [1, 1, 3, 3], border = 'ignore', padding = [(0, 0), (0, 0), (1, 1), (1, 1)], stride = [1, 1, 1, 1]")
    operation("concat", i + 1, "[relu" i + 1 ", max_pool" i + 1 "], axis = 1")
    operation("conv", 3 * i + 3, "concat" i + 1 ", variable" v + 9 ", variable" v + 10 ", border = 'constant', " windows(0) ", groups = 1")
    operation("mean_reduce", i + 1, "conv" 3 * i + 3 ", axes = [2, 3]")
    operation("sigmoid", i + 1, "mean_reduce" i + 1)
    operation("mul", 3 * i + 3, "conv" 3 * i + 3 ", sigmoid" i + 1)
    operation("transpose", j + 1, "mul" 3 * i + 3 ", axes = [0, 2, 3, 1]")
    operation("reshape", i + 1, "transpose" j + 1 ", shape = [1, 28, 28, 32]")
    operation("transpose", j + 2, "reshape" i + 1 ", axes = [0, 3, 1, 2]")
    operation("add", 3 * i + 3, "transpose" j + 2 ", add" 3 * i)
}

function flat(count,    i)
{
    print "version 1.0;\n\ngraph flat(add0) -> (add" 3 * count ")\n{"
    print "    add0 = external<scalar>(shape = [1, 32, 28, 28]);"
    for (i = 0; i < count; i++) flat_variables()
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
    print "    scales = [for k in [1, 2, 4, 8] if k > 2 yield 1.0 / scalar(k)];"
    print "    output = pick([gated * scales[0], input], index = length_of(scales) - 2) + input;\n}\n"
}

function invocation(i, part)
{
    printf "    x%d = block%d(x%d, [for extents in [[16, 16, 3, 3], [1, 16]], part in ['filter', 'bias'] yield\n" \
           "        variable<scalar>(shape = extents, label = 'block%d%s/' + part)]);\n",
           2 * i + part + 1, i, 2 * i + part, i, part ? "b" : "a"
}

function compositional(count,    i)
{
    print "version 1.0;\n\nextension KHR_enable_fragment_definitions;"
    print "extension KHR_enable_operator_expressions;\n"
    print "fragment gate(x: tensor<scalar>, low: scalar, high: scalar) -> (y: tensor<scalar>)"
    print "{\n    y = x * clamp(x + 0.5, low, high);\n}\n"
    print "fragment pick<?>(items: tensor<?>[], index: integer) -> (item: tensor<?>)"
    print "{\n    item = items[index];\n}\n"
    for (i = 0; i < count; i++) fragment(i)
    print "graph compositional(x0) -> (x" 2 * count ")\n{"
    print "    x0 = external<scalar>(shape = [1, 16, 32, 32]);"
    for (i = 0; i < count; i++) { invocation(i, 0); invocation(i, 1) }
    print "}"
}

BEGIN {
    if (kind == "flat")
        flat(int(megabytes * 1000000 / 2480) + 1)
    else
        compositional(int(megabytes * 1000000 / 900) + 1)
}
