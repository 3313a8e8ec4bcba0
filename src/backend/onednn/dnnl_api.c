/* dnnl_api.c - see dnnl_api.h */
#include "backend/onednn/dnnl_api.h"

#define HAS_HANDLES (DNNL_VERSION_MAJOR >= 3)

static bool is_done(dnnl_status_t status)
{
    return status == dnnl_success;
}

/* --- memory descriptors -------------------------------------------------------------------- */

#if HAS_HANDLES
typedef const_dnnl_memory_desc_t desc_arg;
#else
typedef const dnnl_memory_desc_t *desc_arg;
#endif

/* As functions of the library take it. */
static desc_arg desc_of(const struct md *md)
{
    if (!md->made)
        return NULL;
#if HAS_HANDLES
    return md->desc;
#else
    return &md->desc;
#endif
}

bool md_strided(struct md *md, int rank, const int64_t *dims, const int64_t *strides)
{
#if HAS_HANDLES
    md->made =
        is_done(dnnl_memory_desc_create_with_strides(&md->desc, rank, dims, dnnl_f32, strides));
#else
    md->made = is_done(dnnl_memory_desc_init_by_strides(&md->desc, rank, dims, dnnl_f32, strides));
#endif
    return md->made;
}

bool md_any(struct md *md, int rank, const int64_t *dims)
{
#if HAS_HANDLES
    md->made = is_done(
        dnnl_memory_desc_create_with_tag(&md->desc, rank, dims, dnnl_f32, dnnl_format_tag_any));
#else
    md->made =
        is_done(dnnl_memory_desc_init_by_tag(&md->desc, rank, dims, dnnl_f32, dnnl_format_tag_any));
#endif
    return md->made;
}

bool md_wanted(struct md *md, const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index)
{
    desc_arg wanted = dnnl_primitive_desc_query_md(pd, what, index);

#if HAS_HANDLES
    md->made = wanted && is_done(dnnl_memory_desc_clone(&md->desc, wanted));
#else
    md->made = wanted != NULL;
    if (wanted)
        md->desc = *wanted;
#endif
    return md->made;
}

bool md_copy(struct md *md, const struct md *from)
{
#if HAS_HANDLES
    md->made = from->made && is_done(dnnl_memory_desc_clone(&md->desc, from->desc));
#else
    *md = *from;
#endif
    return md->made;
}

void md_drop(struct md *md)
{
#if HAS_HANDLES
    if (md->made)
        dnnl_memory_desc_destroy(md->desc);
#endif
    md->made = false;
}

bool md_equal(const struct md *a, const struct md *b)
{
    return dnnl_memory_desc_equal(desc_of(a), desc_of(b)) != 0;
}

size_t md_size(const struct md *md)
{
    return md->made ? dnnl_memory_desc_get_size(desc_of(md)) : 0;
}

dnnl_memory_t md_memory(const struct md *md, dnnl_engine_t engine)
{
    dnnl_memory_t memory;

    return is_done(dnnl_memory_create(&memory, desc_of(md), engine, DNNL_MEMORY_NONE)) ? memory
                                                                                       : NULL;
}

/* --- attributes ---------------------------------------------------------------------------- */

bool post_sum(dnnl_post_ops_t ops)
{
#if HAS_HANDLES
    return is_done(dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef));
#else
    return is_done(dnnl_post_ops_append_sum(ops, 1));
#endif
}

bool post_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm, double alpha, double beta)
{
#if HAS_HANDLES
    return is_done(dnnl_post_ops_append_eltwise(ops, algorithm, (float)alpha, (float)beta));
#else
    return is_done(dnnl_post_ops_append_eltwise(ops, 1, algorithm, (float)alpha, (float)beta));
#endif
}

bool post_binary(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm, const struct md *other)
{
    return is_done(dnnl_post_ops_append_binary(ops, algorithm, desc_of(other)));
}

/* --- primitives ---------------------------------------------------------------------------- */

#if !HAS_HANDLES
static dnnl_primitive_desc_t pd_of(const_dnnl_op_desc_t op, const_dnnl_primitive_attr_t attr,
                                   dnnl_engine_t engine)
{
    dnnl_primitive_desc_t pd;

    return is_done(dnnl_primitive_desc_create(&pd, op, attr, engine, NULL)) ? pd : NULL;
}
#endif

dnnl_primitive_desc_t pd_conv(dnnl_engine_t engine, const struct operands *on,
                              const struct sliding *s, const_dnnl_primitive_attr_t attr)
{
#if HAS_HANDLES
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
        &pd, engine, dnnl_forward_inference, dnnl_convolution_direct, desc_of(&on->input),
        desc_of(&on->weights), desc_of(&on->bias), desc_of(&on->output), s->stride, s->dilation,
        s->before, s->after, attr);

    return is_done(status) ? pd : NULL;
#else
    dnnl_convolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, desc_of(&on->input),
        desc_of(&on->weights), desc_of(&on->bias), desc_of(&on->output), s->stride, s->dilation,
        s->before, s->after);

    return is_done(status) ? pd_of(&desc, attr, engine) : NULL;
#endif
}

dnnl_primitive_desc_t pd_deconv(dnnl_engine_t engine, const struct operands *on,
                                const struct sliding *s, const_dnnl_primitive_attr_t attr)
{
#if HAS_HANDLES
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_deconvolution_forward_primitive_desc_create(
        &pd, engine, dnnl_forward_inference, dnnl_deconvolution_direct, desc_of(&on->input),
        desc_of(&on->weights), desc_of(&on->bias), desc_of(&on->output), s->stride, s->dilation,
        s->before, s->after, attr);

    return is_done(status) ? pd : NULL;
#else
    dnnl_deconvolution_desc_t desc;
    dnnl_status_t status = dnnl_dilated_deconvolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_deconvolution_direct, desc_of(&on->input),
        desc_of(&on->weights), desc_of(&on->bias), desc_of(&on->output), s->stride, s->dilation,
        s->before, s->after);

    return is_done(status) ? pd_of(&desc, attr, engine) : NULL;
#endif
}

dnnl_primitive_desc_t pd_pool(dnnl_engine_t engine, dnnl_alg_kind_t algorithm,
                              const struct operands *on, const struct sliding *s,
                              const_dnnl_primitive_attr_t attr)
{
#if HAS_HANDLES
    dnnl_primitive_desc_t pd;
    dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
        &pd, engine, dnnl_forward_inference, algorithm, desc_of(&on->input), desc_of(&on->output),
        s->stride, s->size, s->dilation, s->before, s->after, attr);

    return is_done(status) ? pd : NULL;
#else
    dnnl_pooling_desc_t desc;
    dnnl_status_t status = dnnl_pooling_forward_desc_init(&desc, dnnl_forward_inference, algorithm,
                                                          desc_of(&on->input), desc_of(&on->output),
                                                          s->stride, s->size, s->before, s->after);

    return is_done(status) ? pd_of(&desc, attr, engine) : NULL;
#endif
}

dnnl_primitive_desc_t pd_matmul(dnnl_engine_t engine, const struct operands *on,
                                const_dnnl_primitive_attr_t attr)
{
#if HAS_HANDLES
    dnnl_primitive_desc_t pd;
    dnnl_status_t status =
        dnnl_matmul_primitive_desc_create(&pd, engine, desc_of(&on->input), desc_of(&on->weights),
                                          desc_of(&on->bias), desc_of(&on->output), attr);

    return is_done(status) ? pd : NULL;
#else
    dnnl_matmul_desc_t desc;
    dnnl_status_t status = dnnl_matmul_desc_init(&desc, desc_of(&on->input), desc_of(&on->weights),
                                                 desc_of(&on->bias), desc_of(&on->output));

    return is_done(status) ? pd_of(&desc, attr, engine) : NULL;
#endif
}

dnnl_primitive_desc_t pd_reorder(dnnl_engine_t engine, const struct md *from, const struct md *to,
                                 const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t pd;
    dnnl_status_t status =
        dnnl_reorder_primitive_desc_create(&pd, desc_of(from), engine, desc_of(to), engine, attr);

    return is_done(status) ? pd : NULL;
}

const char *pd_name(const_dnnl_primitive_desc_t pd)
{
    const char *name;

    return is_done(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&name)) ? name
                                                                                              : "?";
}
