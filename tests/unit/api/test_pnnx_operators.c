/*
 * test_pnnx_operators.c - operators of PNNX compute what PyTorch defines
 *
 * A case is some lines between an input `x`, whose items are 1, 2, 3, ..., and an output `y`.
 */
#include "nnefc/nnefc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/t.h"

enum { TEXT_SIZE = 4096, ITEMS_MAX = 32 };

struct sample {
    const char *shape, *lines; /* "(2,3)"; with '|' between lines */
    const char *y;             /* extents, ':', items */
};

static const struct sample samples[] = {
    /* expressions */
    {"(2,3)", "pnnx.Expression e 1 1 x y expr=add(@0,mul(@0,2))", "2 3: 3 6 9 12 15 18"},
    {"(2,3)", "pnnx.Expression e 1 1 x y expr=div(@0,size(@0,1))",
     "2 3: .333333 .666667 1 1.333333 1.666667 2"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=sub(pow(@0,2),neg(1.5e+00))", "3: 2.5 5.5 10.5"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=remainder(neg(@0),2)", "3: 1 0 1"},
    {"(1)", "pnnx.Expression e 1 1 x y expr=mul(remainder(mul(@0,-1e-30),1e-20),1e20)", "1: 1"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=fmod(neg(@0),2)", "3: -1 0 -1"},
    {"(4)", "pnnx.Expression e 1 1 x y expr=round(div(@0,2))", "4: 0 1 2 2"},
    {"(4)", "pnnx.Expression e 1 1 x y expr=floor_divide(@0,2)", "4: 0 1 1 2"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=atan2(sub(@0,2),-1)", "3: -2.356194 3.141593 2.356194"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=add(expm1(@0),log1p(@0))", "2: 2.411429 7.487668"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=logaddexp(@0,0)", "2: 1.313262 2.126928"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=maximum(minimum(@0,2.5),1.5)", "3: 1.5 2 2.5"},
    {"(3)", "pnnx.Expression e 1 1 x y expr=torch.float(and(gt(@0,1),lt(@0,3)))", "3: 0 1 0"},
    {"(2,3)",
     "pnnx.Expression s 1 1 x s expr=[size(@0,1),int(size(@0,0))]|Tensor.reshape r 2 1 x s y "
     "$input=x $shape=s",
     "3 2: 1 2 3 4 5 6"},
    /* numbers are doubles: 25 * 2.12 is 53, in floats less; 25 * 1.16 is less than 29 */
    {"(25)",
     "pnnx.Expression s 1 1 x s expr=int(mul(size(@0,0),2.120000e+00))|pnnx.Expression e 2 1 x s y "
     "expr=add(mul(@0,0),add(@1,floor(mul(size(@0,0),1.160000e+00))))",
     "25: 81 81 81 81 81 81 81 81 81 81 81 81 "
     "81 81 81 81 81 81 81 81 81 81 81 81 81"},
    {"(2)", "prim::Constant k 0 1 k value=3|aten::add a 3 1 x x k y", "2: 4 8"},
    {"(2,3)", "pnnx.Expression a 0 1 a expr=0|torch.cat c 2 1 x a y $dim=a", "2 3: 1 2 3 4 5 6"},
    {"(3)", "Tensor.to t 1 1 x i dtype=torch.long|pnnx.Expression e 1 1 i y expr=log10(@0)",
     "3: 0 .301030 .477121"},
    {"(3)",
     "Tensor.to t 1 1 x i dtype=torch.long|pnnx.Expression e 1 1 i y "
     "expr=add(erf(sub(@0,1)),atan2(@0,2))",
     "3: .463648 1.628099 1.978116"},
    {"(2)",
     "Tensor.to t 1 1 x i dtype=torch.long|pnnx.Expression e 1 1 i y "
     "expr=add(add(expm1(@0),log1p(@0)),logaddexp(@0,0))",
     "2: 3.724690 9.614596"},
    /* activations */
    {"(3)", "F.hardtanh h 1 1 x y min_val=-1 max_val=2.5 $input=x", "3: 1 2 2.5"},
    {"(2)", "nn.Hardsigmoid h 1 1 x y", "2: .666667 .833333"},
    {"(2)", "F.softplus p 1 1 x y beta=2 threshold=20 $input=x", "2: 1.063464 2.009075"},
    {"(3)", "nn.Softplus p 1 1 x y beta=1 threshold=1.5", "3: 1.313262 2 3"},
    {"(2)", "nn.LogSigmoid l 1 1 x y", "2: -.313262 -.126928"},
    {"(2)", "F.gelu g 1 1 x y approximate=tanh $input=x", "2: .841192 1.954598"},
    {"(3)", "nn.Softshrink s 1 1 x y lambd=1.5", "3: 0 .5 1.5"},
    {"(3)", "nn.Threshold t 1 1 x y threshold=1.5 value=9", "3: 9 2 3"},
    {"(3)", "nn.Threshold t 1 1 x y threshold=nan value=9", "3: 1 2 3"},
    {"(1,4)", "nn.GLU g 1 1 x y dim=-1", "1 2: .952574 1.964028"},
    {"(1,2)", "F.softmin s 1 1 x y dim=1 $input=x", "1 2: .731059 .268941"},
    /* along dimensions */
    {"(2,3)", "torch.mean m 1 1 x y dim=(1) keepdim=False $input=x", "2: 2 5"},
    {"(2,3)", "torch.sum m 1 1 x y $input=x", ": 21"},
    {"(2,3)", "torch.amax m 1 1 x y dim=(0) keepdim=True $input=x", "1 3: 4 5 6"},
    {"(2,2)",
     "Tensor.to t 1 1 x i dtype=torch.long|torch.amax m 1 1 i j dim=(1) keepdim=False $input=i|"
     "Tensor.to b 1 1 j y dtype=torch.float",
     "2: 2 4"},
    {"(2,3)", "torch.max m 1 2 x y i dim=1 keepdim=False $input=x", "2: 3 6"},
    {"(2,3)",
     "torch.max m 1 2 x v i dim=1 keepdim=False $input=x|Tensor.to t 1 1 i y dtype=torch.float",
     "2: 2 2"},
    {"(2,3)", "torch.argmin a 1 1 x i keepdim=False $input=x|Tensor.to t 1 1 i y dtype=torch.float",
     ": 0"},
    {"(2,3)", "torch.var v 1 1 x y dim=(1) unbiased=True keepdim=False $input=x", "2: 1 1"},
    {"(2,3)", "torch.std v 1 1 x y dim=(1) unbiased=False keepdim=False $input=x",
     "2: .816497 .816497"},
    {"(2,2)", "torch.norm n 1 1 x y p=2 dim=(1) keepdim=False $input=x", "2: 2.236068 5"},
    {"(2,2)", "F.normalize n 1 1 x y p=1.0 dim=1 eps=1e-12 $input=x",
     "2 2: .333333 .666667 .428571 .571429"},
    {"(2,3)", "torch.prod p 1 1 x y dim=1 keepdim=False $input=x", "2: 6 120"},
    {"(2,3)", "torch.cumsum c 1 1 x y dim=1 $input=x", "2 3: 1 3 6 4 9 15"},
    {"(2,3)", "torch.topk k 1 2 x y i k=1 dim=-1 largest=False sorted=True $input=x", "2 1: 1 4"},
    {"(2,3)", "torch.topk k 1 2 x y i k=2 dim=1 largest=True sorted=True $input=x", "2 2: 3 2 6 5"},
    /* images; grids, matrices and boxes are made of the input */
    {"(1,1,2,2)",
     "pnnx.Expression e 1 1 x g expr=div(sub(@0,2.5),1.5)|"
     "F.grid_sample s 2 1 x g y align_corners=True mode=bilinear padding_mode=zeros $input=x "
     "$grid=g",
     "1 1 1 2: 1.666667 3.666667"},
    {"(1,2,3)", "F.affine_grid a 1 1 x y size=(1,1,1,2) align_corners=False $theta=x",
     "1 1 2 2: 2.5 4 3.5 8"},
    {"(1,1,1,5)",
     "pnnx.Expression e 1 1 x e expr=sub(@0,1)|Tensor.reshape r 1 1 e b shape=(1,5) $input=e|"
     "torchvision.ops.RoIAlign a 2 1 x b y aligned=True output_size=(1,1) sampling_ratio=-1 "
     "spatial_scale=0.5",
     "1 1 1 1: 1.5"},
    /* shapes and orders */
    {"(2,3)", "Tensor.view v 1 1 x y shape=(3,-1) $input=x", "3 2: 1 2 3 4 5 6"},
    {"(2,3)", "Tensor.permute p 1 1 x y dims=(1,0) $input=x", "3 2: 1 4 2 5 3 6"},
    {"(2,1,3)", "torch.transpose t 1 1 x y dim0=-1 dim1=0 $input=x", "3 1 2: 1 4 2 5 3 6"},
    {"(2,1,3)", "torch.squeeze s 1 1 x y dim=1 $input=x", "2 3: 1 2 3 4 5 6"},
    {"(2,1,3)", "torch.flatten f 1 1 x y start_dim=1 end_dim=-1 $input=x", "2 3: 1 2 3 4 5 6"},
    {"(6)", "Tensor.unflatten u 1 1 x y dim=0 sizes=(2,-1) $input=x", "2 3: 1 2 3 4 5 6"},
    {"(1)", "Tensor.unflatten u 1 1 x y dim=0 sizes=(1,1,1,1,1,1,1,1) $input=x",
     "1 1 1 1 1 1 1 1: 1"},
    {"(2)", "Tensor.expand e 1 1 x y sizes=(2,-1) $input=x", "2 2: 1 2 1 2"},
    {"(2)", "Tensor.repeat r 1 1 x y sizes=(2,2) $input=x", "2 4: 1 2 1 2 1 2 1 2"},
    {"(1,2)", "torch.tile r 1 1 x y dims=(2) $input=x", "1 4: 1 2 1 2"},
    {"(1,4,1,1)", "F.pixel_shuffle s 1 1 x y upscale_factor=2 $input=x", "1 1 2 2: 1 2 3 4"},
    {"(1,1,2,2)", "nn.PixelUnshuffle s 1 1 x y downscale_factor=2", "1 4 1 1: 1 2 3 4"},
    {"(1,4)", "nn.ChannelShuffle s 1 1 x y groups=2", "1 4: 1 3 2 4"},
    /* parts */
    {"(2,3)", "torch.flip f 1 1 x y dims=(1) $input=x", "2 3: 3 2 1 6 5 4"},
    {"(2,3)", "torch.roll r 1 1 x y shifts=(1) dims=(1) $input=x", "2 3: 3 1 2 6 4 5"},
    {"(2,3)", "torch.roll r 1 1 x y shifts=(-1) $input=x", "2 3: 2 3 4 5 6 1"},
    {"(2,3)", "Tensor.slice s 1 1 x y dim=1 start=1 end=2147483647 step=1 $input=x",
     "2 2: 2 3 5 6"},
    {"(2,3)",
     "Tensor.slice s 1 1 x y dims=(0,1) starts=(0,0) ends=(0,2147483647) steps=(1,2) "
     "selects=(1,2147483647) $input=x",
     "2: 4 6"},
    {"(2,3)",
     "Tensor.slice s 1 1 x y dims=(-1,0) starts=(1,0) ends=(2147483647,1) steps=(1,1) $input=x",
     "1 2: 2 3"},
    {"(2,3)",
     "Tensor.slice s 1 1 x y dims=(1,0) starts=(0,0) ends=(0,2147483647) steps=(1,1) "
     "selects=(-1,2147483647) $input=x",
     "2: 3 6"},
    {"(2,3)", "Tensor.select s 1 1 x y dim=1 index=-1 $input=x", "2: 3 6"},
    {"(4)", "torch.narrow n 1 1 x y dim=0 start=-3 length=2 $input=x", "2: 2 3"},
    {"(2,3)", "Tensor.index i 1 1 x y expr=[None,[2,0]]", "2 2: 3 1 6 4"},
    {"(2,3)",
     "torch.topk k 1 2 x v i k=2 dim=1 largest=False sorted=True $input=x|"
     "torch.gather g 2 1 x i y dim=1 $input=x $index=i",
     "2 2: 1 2 4 5"},
    {"(2,3)",
     "torch.topk k 1 2 x v i k=2 dim=1 largest=False sorted=True $input=x|"
     "torch.scatter_add s 3 1 x i x y dim=1 $input=x $index=i $src=x",
     "2 3: 2 4 3 8 10 6"},
    {"(5)", "torch.chunk c 1 3 x a b y chunks=3 dim=0 $input=x", "1: 5"},
    {"(5)", "torch.tensor_split c 1 2 x y b indices=(2) dim=0 $input=x", "2: 1 2"},
    {"(5)", "torch.split c 1 3 x a y b split_size_or_sections=2 dim=0 $tensor=x", "2: 3 4"},
    {"(2,2)", "torch.unbind u 1 2 x a b dim=1 $input=x|torch.stack s 2 1 b a y dim=0",
     "2 2: 2 4 1 3"},
    {"(2,2)",
     "torch.unbind u 1 2 x a b dim=0 $input=x|prim::TupleConstruct t 2 1 a b t|prim::TupleUnpack p "
     "1 2 t c d|torch.cat c 2 1 d c y dim=0",
     "4: 3 4 1 2"},
    {"(3)", "F.pad p 1 1 x y pad=(1,-1) mode=constant value=9 $input=x", "3: 9 1 2"},
    {"(1,3)", "nn.ReflectionPad1d p 1 1 x y padding=(1,2)", "1 6: 2 1 2 3 2 1"},
    {"(1,3)", "F.pad p 1 1 x y pad=(1,1) mode=replicate $input=x", "1 5: 1 1 2 3 3"},
    {"(1,3)", "F.pad p 1 1 x y pad=(2,1) mode=circular $input=x", "1 6: 2 3 1 2 3 1"},
    /* conditions */
    {"(3)", "torch.clamp c 1 1 x y min=1.5 max=None $input=x", "3: 1.5 2 3"},
    {"(3)",
     "torch.ge g 1 1 x c other=2 $input=x|torch.where w 2 1 c x y other=-1 $condition=c $input=x",
     "3: -1 2 3"},
    {"(3)",
     "torch.eq e 1 1 x a other=2 $input=x|torch.ne n 1 1 x b other=3 $input=x|torch.logical_xor l "
     "2 1 a b c $input=a $other=b|Tensor.to t 1 1 c y dtype=torch.float",
     "3: 1 0 0"},
    {"(3)",
     "pnnx.Expression e 1 1 x h expr=mul(@0,-0.6)|Tensor.to t 1 1 h i dtype=torch.long|Tensor.to u "
     "1 1 i y dtype=torch.float",
     "3: 0 -1 -1"},
    /* products */
    {"(2,3)", "torch.t t 1 1 x t|torch.mm m 2 1 x t y $input=x $mat2=t", "2 2: 14 32 32 77"},
    {"(2,2)", "torch.addmm a 3 1 x x x y alpha=2 beta=0.5 $input=x $mat1=x $mat2=x",
     "2 2: 14.5 21 31.5 46"},
    {"(2,2)", "torch.einsum e 2 1 x x y equation=ij,jk->ki", "2 2: 7 15 10 22"},
    /* windows */
    {"(1,1,5)",
     "nn.MaxPool1d p 1 1 x y kernel_size=(2) stride=None padding=(0) dilation=(1) ceil_mode=True "
     "return_indices=False",
     "1 1 3: 2 4 5"},
    {"(1,1,4)",
     "F.max_pool1d p 1 2 x v i kernel_size=(2) stride=(2) padding=(0) dilation=(1) ceil_mode=False "
     "return_indices=True $input=x|Tensor.to t 1 1 i y dtype=torch.float",
     "1 1 2: 1 3"},
    {"(1,1,3)",
     "nn.AvgPool1d p 1 1 x y kernel_size=(3) stride=(1) padding=(1) ceil_mode=False "
     "count_include_pad=False",
     "1 1 3: 1.5 2 2.5"},
    {"(1,1,3)",
     "nn.AvgPool1d p 1 1 x y kernel_size=(3) stride=(1) padding=(1) ceil_mode=False "
     "count_include_pad=True",
     "1 1 3: 1 2 1.666667"},
    {"(1,1,4)", "F.avg_pool1d p 1 1 x y kernel_size=(2) stride=() padding=(0) $input=x",
     "1 1 2: 1.5 3.5"},
    /* of even filters 'same' pads more behind */
    {"(1,1,2)",
     "F.conv1d v 2 1 x x y bias=None stride=(1) padding=same dilation=(1) groups=1 $input=x "
     "$weight=x",
     "1 1 2: 5 2"},
    /* the cube root of the sum; a window of one item counts it twice */
    {"(1,1,3)", "nn.LPPool1d p 1 1 x y norm_type=3 kernel_size=(2) stride=(2) ceil_mode=True",
     "1 1 2: 2.080084 3.779763"},
    {"(1,1,3)",
     "pnnx.Expression e 1 1 x n expr=sub(@0,2)|nn.LPPool1d p 1 1 n y norm_type=1 kernel_size=(3) "
     "stride=(1) ceil_mode=False",
     "1 1 1: 0"},
    {"(1,1,5)", "nn.AdaptiveAvgPool1d p 1 1 x y output_size=(3)", "1 1 3: 1.5 3 4.5"},
    {"(1,5)", "F.adaptive_max_pool1d p 1 1 x y output_size=(2) $input=x", "1 2: 3 5"},
    {"(1,1,2,2)", "F.adaptive_avg_pool2d p 1 1 x y output_size=(1,None) $input=x", "1 1 1 2: 2 3"},
    {"(1,1,2)", "F.interpolate u 1 1 x y mode=nearest scale_factor=(2.0) $input=x",
     "1 1 4: 1 1 2 2"},
    {"(1,1,2)", "nn.Upsample u 1 1 x y mode=linear align_corners=True size=(3)", "1 1 3: 1 1.5 2"},
    {"(1,1,2)",
     "F.interpolate u 1 1 x y mode=linear align_corners=False scale_factor=(2.0) $input=x",
     "1 1 4: 1 1.25 1.75 2"},
    /* floor(10 * 1.4) is 14 in doubles, and 13 if 1.4 is a float */
    {"(1,1,10)", "F.interpolate u 1 1 x y mode=nearest scale_factor=(1.400000e+00) $input=x",
     "1 1 14: 1 1 2 3 3 4 5 6 6 7 8 8 9 10"},
    /* 2/3 has seven digits here; result 2 is item 2 * 1.5 */
    {"(1,1,9)", "F.interpolate u 1 1 x y mode=nearest scale_factor=(6.666667e-01) $input=x",
     "1 1 6: 1 2 4 5 7 8"},
    /* floor(9 * 0.4) is 3; coordinates go by 1 / 0.4, or else by 9 / 3 */
    {"(1,1,9)", "F.interpolate u 1 1 x y mode=nearest scale_factor=(0.4) $input=x", "1 1 3: 1 3 6"},
    {"(1,1,9)",
     "F.interpolate u 1 1 x y mode=nearest recompute_scale_factor=True scale_factor=(0.4) "
     "$input=x",
     "1 1 3: 1 4 7"},
    {"(1,1,2)", "F.interpolate u 1 1 x y mode=nearest-exact size=(3) $input=x", "1 1 3: 1 2 2"},
    /* (3 * 1 + 3 * 2 + 1 * 3) / 7: what lies beyond the ends does not count */
    {"(1,1,1,4)",
     "F.interpolate u 1 1 x y mode=bilinear align_corners=False antialias=True size=(1,2) $input=x",
     "1 1 1 2: 1.714286 3.285714"},
    {"(1,3,1,1)", "nn.LocalResponseNorm l 1 1 x y size=3 alpha=3.0 beta=1.0 k=1.0",
     "1 3 1 1: .166667 .133333 .214286"},
    {"(1,1,2)", "F.instance_norm n 1 1 x y eps=0.0 $input=x", "1 1 2: -1 1"},
    {"(1,2,2)", "F.group_norm n 1 1 x y num_groups=2 eps=0.0 $input=x", "1 2 2: -1 1 -1 1"},
    {"(2,2)", "F.layer_norm n 1 1 x y normalized_shape=(2) eps=0.0 $input=x", "2 2: -1 1 -1 1"},
    {"(1,2)", "F.rms_norm n 1 1 x y normalized_shape=(2) eps=0.0 $input=x",
     "1 2: .632456 1.264911"},
    {"(1,2,2)",
     "F.scaled_dot_product_attention a 3 1 x x x y is_causal=True $query=x $key=x $value=x",
     "1 2 2: 1 2 2.9998996 3.9998996"},
};

/* Behind type, name and number of inputs. */
static int results_of(const char *line)
{
    for (int i = 0; i < 3; i++) {
        line = strchr(line, ' ');
        assert_non_null(line);
        line++;
    }
    return (int)strtol(line, NULL, 10);
}

/* The model of a case; names of operands are counted from the line that says how many there are. */
static void write_model(char text[TEXT_SIZE], const struct sample *sample)
{
    char body[TEXT_SIZE / 2];
    int operators = 2, operands = 1;

    snprintf(body, sizeof body, "%s", sample->lines);
    for (char *line = body; line;) {
        char *end = strchr(line, '|');
        if (end)
            *end++ = '\n';
        operators++;
        operands += results_of(line);
        line = end;
    }
    snprintf(text, TEXT_SIZE,
             "7767517\n%d %d\npnnx.Input x 0 1 x #x=%sf32\n%s\npnnx.Output y 1 0 y\n", operators,
             operands, sample->shape, body);
}

static void compare(const struct sample *sample, const struct nnefc_tensor *got)
{
    struct nnefc_type type = nnefc_tensor_type(got);
    const char *at = sample->y;
    char *end = NULL;

    for (int i = 0; *at != ':'; i++, at = end + (*end == ' ')) {
        long extent = strtol(at, &end, 10);
        if (i >= type.rank || type.extent[i] != extent)
            fail_msg("%s: another shape than %s", sample->lines, sample->y);
    }
    at++;
    for (int64_t i = 0; i < nnefc_tensor_count(got); i++, at = end) {
        double want = strtod(at, &end), have = nnefc_tensor_item(got, i);
        if (end == at || !(fabs(have - want) <= 2e-6 + 1e-6 * fabs(want)))
            fail_msg("%s: item %d is %g, expected %s", sample->lines, (int)i, have, sample->y);
    }
    assert_string_equal(at, "");
}

static void run(const struct sample *sample, struct nnefc_model *model)
{
    struct nnefc_type type = nnefc_model_inputs(model)->at[0]->type;
    struct nnefc_tensor *x = nnefc_tensor_new(&type);
    struct nnefc_run *running = nnefc_run_new(model);
    float *items = nnefc_tensor_data(x);

    for (int64_t i = 0; i < nnefc_tensor_count(x); i++)
        items[i] = (float)(i + 1);
    assert_int_equal(nnefc_run_set_input(running, 0, x), NNEFC_OK);
    assert_int_equal(nnefc_run_step(running), NNEFC_OK);
    compare(sample, nnefc_run_output(running, 0));
    nnefc_tensor_free(x);
    nnefc_run_free(running);
}

static void try(const struct sample *sample)
{
    struct nnefc_model *model = nnefc_model_new();
    char text[TEXT_SIZE];

    write_model(text, sample);
    if (nnefc_model_load_text(model, "m.param", text, strlen(text)) != NNEFC_OK) {
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
        fail_msg("%s: not loaded", sample->lines);
    }
    assert_int_equal(nnefc_model_verify(model, true), NNEFC_OK);
    run(sample, model);
    nnefc_model_free(model);
}

static void operators_compute_what_pytorch_defines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        try(&samples[i]);
}

/* --- refusals ------------------------------------------------------------------------------ */

#define TWICE(from, to) "prim::TupleConstruct t 2 1 " from " " from " " to "|"
#define TWICE_5(from, to) \
    TWICE(from, to "1")   \
    TWICE(to "1", to "2") TWICE(to "2", to "3") TWICE(to "3", to "4") TWICE(to "4", to)

static const struct {
    const char *shape, *lines, *words;
} refused[] = {
    {"(2,8)", "torch.fft.rfft r 1 1 x y dim=-1 $input=x", "'torch.fft.rfft' is not supported"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=mul(@0,(1+2j))", "expression"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=mul(@0,1.0e+00+2.0e+00j)", "complex number"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=digamma(@0)", "'digamma' of 1 operands"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=add(@0)", "'add' of 1 operands"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=add(@0,", "ends, expected input, word, number or '['"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=neg(@0))", "found ')', expected end of the expression"},
    {"(2)", "pnnx.Expression e 1 1 x y expr=size(@0,1e300)", "something other than a dimension"},
    {"(2)",
     TWICE_5("x", "a") TWICE_5("a", "b") TWICE_5("b", "c") TWICE_5("c", "y") "nn.ReLU r 1 1 x z",
     "tuple of more than"},
    {"(2)", "pnnx.Input x 0 1 z #z=(2)f32|nn.ReLU r 1 1 x y", "second input called 'x'"},
    {"(2)", "pnnx.Output y 1 0 x|nn.ReLU r 1 1 x y", "second output called 'y'"},
    {"(2)", "torch.roll r 1 1 x y shifts=() dims=()", "rolls 1 dimensions by 0"},
    {"(4)", "torch.tensor_split s 1 3 x y a b indices=(-2147483647,2147483647) dim=0",
     "begins a part at item"},
    {"(2)", "Tensor.index i 1 1 x y expr=[[1e300]]", "indices that are no integers"},
    {"(2,2)", "Tensor.slice s 1 1 x y dims=(0,-2) starts=(0,0) ends=(1,1)", "dimension 0 twice"},
    {"(2,2)", "torch.norm n 1 1 x y p=nuc dim=(0,1)", "norm of order 'nuc'"},
    {"(1,1,2,2)", "nn.Upsample u 1 1 x y mode=nearest size=(1e300,2)", "list of integers"},
    {"(1,1,4)", "nn.AdaptiveMaxPool1d p 1 1 x y output_size=200000000", "bytes of memory"},
    {"(1,1,1,1,1,1,1,4)", "nn.Conv1d c 2 1 x x y padding_mode=reflect padding=(1) $weight=x",
     "has a filter of rank 8"},
    {"(2)", "torch.sum s 1 1 x y dim=3 $input=x", "axis 3 is out of range"},
    {"()", "nn.GLU g 1 1 x y dim=-1", "halves shape []"},
    {"(2)", "torch.sum s 1 1 x y dim=here $input=x", "'dim' that is no"},
    {"(2,3)", "Tensor.reshape r 1 1 x y shape=(4,2) $input=x", "cannot give shape"},
    {"(2,3)", "F.conv2d c 1 1 x y stride=(1,1) $input=x", "has no tensor as input 1"},
    {"(2,3)", "torch.chunk c 1 1 x y chunks=3 dim=1 $input=x", "makes 3 parts for 1 outputs"},
    {"(1,1,4)", "nn.AvgPool1d p 1 1 x y kernel_size=(2) divisor_override=3", "divides sums"},
    {"(1,1,?)", "nn.ReLU r 1 1 x y", "extents that are not known"},
};

static void what_cannot_be_said_is_refused_once_by_name(void **state)
{
    char text[TEXT_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct nnefc_model *model = nnefc_model_new();
        struct sample sample = {refused[i].shape, refused[i].lines, NULL};
        write_model(text, &sample);
        assert_int_not_equal(nnefc_model_load_text(model, "m.param", text, strlen(text)), NNEFC_OK);
        const struct nnefc_diagnostic *report = nnefc_model_diagnostics(model)->at[0];
        if (nnefc_model_diagnostics(model)->count != 1 || report->line < 3 ||
            (!strstr(report->text, refused[i].words) &&
             strcmp(refused[i].words, "expression") != 0))
            fail_msg("%s: %d reports: %s", refused[i].lines, nnefc_model_diagnostics(model)->count,
                     report->text);
        nnefc_model_free(model);
    }
}

/* As many as are made into an output; no stack is taken for them. */
static void tuples_nest_only_so_deep(void **state)
{
    enum { DEPTH = 100000 };
    struct nnefc_model *model = nnefc_model_new();
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    (void)state;
    assert_non_null(file);
    fprintf(file, "7767517\n%d %d\npnnx.Input x 0 1 0 #0=(2)f32\n", DEPTH + 2, DEPTH + 1);
    for (int i = 0; i < DEPTH; i++)
        fprintf(file, "prim::TupleConstruct t%d 1 1 %d %d\n", i, i, i + 1);
    fprintf(file, "pnnx.Output y 1 0 %d\n", DEPTH);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(nnefc_model_load_text(model, "m.param", text, size), NNEFC_UNSUPPORTED);
    assert_non_null(strstr(nnefc_model_diagnostics(model)->at[0]->text, "nested deeper than 1000"));
    nnefc_model_free(model);
    free(text);
}

static void extents_that_are_open_are_bound_by_shape_or_by_name(void **state)
{
    static const char text[] = "7767517\n3 2\npnnx.Input in 0 1 x #x=(%n,?)f32\nnn.ReLU r 1 1 x y\n"
                               "pnnx.Output out 1 0 y\n";
    static const int64_t shape[] = {2, 5};

    (void)state;
    for (int by = 0; by < 2; by++) {
        struct nnefc_model *model = nnefc_model_new();
        nnefc_model_set_shape(model, by ? "in" : "x", 2, shape);
        assert_int_equal(nnefc_model_load_text(model, "m.param", text, sizeof text - 1), NNEFC_OK);
        assert_int_equal(nnefc_model_outputs(model)->at[0]->type.extent[1], 5);
        nnefc_model_free(model);
    }
    struct nnefc_model *model = nnefc_model_new();
    nnefc_model_set_extent(model, "n", 2);
    assert_int_not_equal(nnefc_model_load_text(model, "m.param", text, sizeof text - 1), NNEFC_OK);
    assert_non_null(strstr(nnefc_model_diagnostics(model)->at[0]->text, "[2,?]"));
    nnefc_model_free(model);
}

/* nn.ReLU of (2,3)f32, of which that is declared; the message, or NULL if it loads. */
static char *declared_as(const char *declared, bool trust, const int64_t *asked)
{
    struct nnefc_model *model = nnefc_model_new();
    const struct nnefc_diagnostic_list *said;
    char text[TEXT_SIZE], *message = NULL;
    int size = snprintf(text, sizeof text,
                        "7767517\n3 2\npnnx.Input in 0 1 x #x=(2,3)f32\n"
                        "nn.ReLU r 1 1 x y #y=%s\npnnx.Output out 1 0 y\n",
                        declared);

    nnefc_model_set_trust_shapes(model, trust);
    if (asked)
        nnefc_model_set_shape(model, "in", 2, asked);
    enum nnefc_status status = nnefc_model_load_text(model, "m.param", text, (size_t)size);
    said = nnefc_model_diagnostics(model);
    assert_true((status == NNEFC_OK) == (said->count == 0 || trust));
    if (said->count > 0) {
        assert_string_equal(said->at[0]->code, "N0194");
        assert_int_equal(said->at[0]->line, 4);
        assert_int_equal(said->at[0]->severity, trust ? NNEFC_WARNING : NNEFC_ERROR);
        message = strdup(said->at[0]->text);
    }
    nnefc_model_free(model);
    return message;
}

static void declared_shapes_and_types_hold(void **state)
{
    static const int64_t other[] = {5, 3};
    static const struct {
        const char *declared, *computed;
        bool trust, asked;
    } wrong[] = {
        {"(2,4)f32", "f32[2,3]", false, false},  {"(2,3,1)f32", "f32[2,3]", false, false},
        {"(2,3)i64", "f32[2,3]", false, false},  {"(2,4)f32", "f32[2,3]", true, false},
        {"(2,3,1)f32", "f32[5,3]", false, true},
    };
    static const char *const right[] = {"(2,3)f32", "(?,3)f32", "(%n,3)f32"};

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        assert_null(declared_as(right[i], false, NULL));
    assert_null(declared_as("(2,3)f32", false, other));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *said = declared_as(wrong[i].declared, wrong[i].trust, wrong[i].asked ? other : NULL);
        assert_non_null(said);
        assert_non_null(strstr(said, "'r' (nn.ReLU) makes 'y' as "));
        assert_non_null(strstr(said, wrong[i].computed));
        free(said);
    }
}

/* The text was traced with extent 1 where the input leaves it open. */
static void an_open_extent_that_is_given_goes_before_declared_ones(void **state)
{
    static const char text[] = "7767517\n3 2\npnnx.Input in 0 1 x #x=(?,3)f32\n"
                               "nn.ReLU r 1 1 x y #y=(1,3)f32\npnnx.Output out 1 0 y\n";
    struct nnefc_model *model = nnefc_model_new();

    (void)state;
    nnefc_model_set_shape(model, "in", 2, (int64_t[]){4, 3});
    assert_int_equal(nnefc_model_load_text(model, "m.param", text, sizeof text - 1), NNEFC_OK);
    assert_int_equal(nnefc_model_outputs(model)->at[0]->type.extent[0], 4);
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_compute_what_pytorch_defines),
        cmocka_unit_test(what_cannot_be_said_is_refused_once_by_name),
        cmocka_unit_test(tuples_nest_only_so_deep),
        cmocka_unit_test(extents_that_are_open_are_bound_by_shape_or_by_name),
        cmocka_unit_test(declared_shapes_and_types_hold),
        cmocka_unit_test(an_open_extent_that_is_given_goes_before_declared_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
