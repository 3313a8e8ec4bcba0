/* test_write.c - a model of PNNX is written as it was spelled, its weights as PNNX writes them */
#include "base/text.h"
#include "convert/pnnx/archive.h"
#include "convert/pnnx/document.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "diag/source.h"
#include "file/out.h"

#include "support/t.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
    struct context *context;
    struct pnnx_document *document;
    struct text text, written;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->context = context_new();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    pnnx_document_free(f->document);
    context_free(f->context);
    text_free(&f->text);
    text_free(&f->written);
    free(f);
    return 0;
}

static void collect(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static void read_text(struct fixture *f, const char *text)
{
    text_add(&f->text, "%s", text);
    uint32_t base = sources_add(f->context->sources, "m.param", f->text.data, f->text.size);
    f->document = pnnx_read(f->context, base, f->text.data, f->text.size);
    assert_non_null(f->document);
}

static void write_text(struct fixture *f)
{
    pnnx_write_text(f->document, &(struct sink){"m.param", collect, &f->written});
}

#define HEAD \
    "7767517\n3 2\nI                        in                       0 1 a #a=(2,?,%w)f32\n"
#define LINE "X                        x                        1 1 a b"
#define TAIL "\nO                        out                      1 0 b\n"

static void expect_same(struct fixture *f, const char *text)
{
    read_text(f, text);
    write_text(f);
    assert_string_equal(f->written.data, text);
}

/* --- the text ------------------------------------------------------------------------------ */

static void numbers_are_spelled_as_they_were(void **state)
{
    expect_same(*state, HEAD LINE " a=1 b=+2 c=-0 d=1.0 e=1.500000e-05 f=1e6 g=.5 h=2147483647"
                                  " i=-2147483648 j=inf k=-inf l=nan" TAIL);
}

static void words_and_complex_numbers_are_kept(void **state)
{
    expect_same(*state, HEAD LINE " a=None b=True c=False d=zeros e= f=torch.float g=ij,jk->ik"
                                  " h=1.000000e+00+-2.500000e+00j i=1.2.3 j=*" TAIL);
}

static void lists_keep_brackets_and_items(void **state)
{
    expect_same(*state, HEAD LINE " a=(1,-2,3) b=[1,2] c=() d=[] e=(1.0,1e-3) f=(None,a.b,0x1)"
                                  " g=(2147483647) h=[True,False]" TAIL);
}

static void expressions_are_no_lists(void **state)
{
    expect_same(*state, HEAD LINE " expr=[int(add(size(@0,1),2)),-1,mul(1.0e0,True)]" TAIL);
}

static void pairs_keep_their_order_and_repeat(void **state)
{
    expect_same(*state, HEAD "X                        x                        2 1 a a b"
                             " #a=(2,?,%w)f32 k=1 $q=a @w=(3)cp64 $k=a l=2 #a=(2,3,%w)f32"
                             " @e=()bf16 #a=(?,?,?)null #b=(1)c64" TAIL);
}

static void columns_are_set_apart_as_pnnx_does(void **state)
{
    struct fixture *f = *state;

    read_text(
        f, "7767517\r\n2\t1\r\n\nI in\t0 1  a \r\na.type.of.more.than.24.columns out 1 0 a  k=1");
    write_text(f);
    assert_string_equal(f->written.data,
                        "7767517\n2 1\nI                        in                "
                        "       0 1 a\na.type.of.more.than.24.columns out          "
                        "            1 0 a k=1\n");
}

/* A name would end there. */
static void a_nul_is_refused(void **state)
{
    static const char text[] = "7767517\n2 1\nI in 0 1 a\nO o\0p 1 0 a\n";
    struct fixture *f = *state;
    uint32_t base = sources_add(f->context->sources, "m.param", text, sizeof text - 1);

    assert_null(pnnx_read(f->context, base, text, sizeof text - 1));
    assert_int_equal(diag_error_count(f->context->diag), 1);
    assert_int_equal(diag_at(f->context->diag, 0).at.begin, base + strlen(text));
}

/* --- weights ------------------------------------------------------------------------------- */

/* The bytes that PNNX writes: ZIP64, without dates. */
static const char archive_of_one[] =
    "PK\3\4\0\0\0\0\0\0\0\0\0\0\x85\x11\x4a\x0d\xff\xff\xff\xff\xff\xff\xff\xff\3\0\x20\0w.d"
    "\1\0\x1c\0\x0b\0\0\0\0\0\0\0\x0b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0hello world"
    "PK\1\2\0\0\0\0\0\0\0\0\0\0\0\0\x85\x11\x4a\x0d\xff\xff\xff\xff\xff\xff\xff\xff\3\0\x20\0"
    "\0\0\xff\xff\0\0\0\0\0\0\xff\xff\xff\xffw.d"
    "\1\0\x1c\0\x0b\0\0\0\0\0\0\0\x0b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "PK\6\6\x2c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
    "\x51\0\0\0\0\0\0\0\x4c\0\0\0\0\0\0\0"
    "PK\6\7\0\0\0\0\x9d\0\0\0\0\0\0\0\1\0\0\0"
    "PK\5\6\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0";

static void give_data(struct fixture *f, const char *data)
{
    for (struct pnnx_operator *o = f->document->operators.first; o; o = o->next)
        for (struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next) {
            a->data = (const unsigned char *)data;
            a->size = strlen(data);
        }
}

static void write_weights(struct fixture *f)
{
    pnnx_write_weights(f->context, f->document, &(struct sink){"m.bin", collect, &f->written});
}

static void an_archive_has_the_bytes_of_pnnx(void **state)
{
    struct fixture *f = *state;

    read_text(f, "7767517\n2 1\npnnx.Attribute w 0 1 a @d=(11)u8\nO out 1 0 a\n");
    give_data(f, "hello world");
    write_weights(f);
    assert_int_equal(f->written.size, sizeof archive_of_one);
    assert_memory_equal(f->written.data, archive_of_one, sizeof archive_of_one);
}

static void a_model_without_weights_has_an_empty_archive(void **state)
{
    struct fixture *f = *state;
    struct pnnx_archive archive;

    read_text(f, "7767517\n2 1\nI in 0 1 a\nO out 1 0 a\n");
    write_weights(f);
    assert_int_equal(f->written.size, 98);
    assert_true(pnnx_archive_open(f->context, "m.bin", f->written.data, f->written.size, &archive));
    assert_int_equal(archive.count, 0);
    pnnx_archive_close(&archive);
}

static void weights_are_read_again(void **state)
{
    struct fixture *f = *state;
    struct pnnx_archive archive;

    read_text(f, "7767517\n3 2\nA v 0 1 a @x=(3)u8 @y=(3)u8\nA w 0 1 b @x=(3)u8\nO o 2 0 a b\n");
    give_data(f, "abc");
    f->document->operators.first->pairs.of[PNNX_ATTRIBUTE].first->size = 0;
    write_weights(f);
    assert_true(pnnx_archive_open(f->context, "m.bin", f->written.data, f->written.size, &archive));
    assert_int_equal(archive.count, 3);
    assert_int_equal(pnnx_archive_find(f->context, &archive, "v.x")->size, 0);
    assert_int_equal(pnnx_archive_find(f->context, &archive, "v.y")->size, 3);
    assert_memory_equal(pnnx_archive_find(f->context, &archive, "w.x")->data, "abc", 3);
    pnnx_archive_close(&archive);
}

static void operators_of_one_name_share_their_weights(void **state)
{
    struct fixture *f = *state;
    struct pnnx_archive archive;

    read_text(f, "7767517\n3 2\nA w 0 1 a @x=(3)u8\nA w 0 1 b @x=(3)u8\nO o 2 0 a b\n");
    give_data(f, "abc");
    write_weights(f);
    assert_true(pnnx_archive_open(f->context, "m.bin", f->written.data, f->written.size, &archive));
    assert_int_equal(archive.count, 1);
    pnnx_archive_close(&archive);
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(numbers_are_spelled_as_they_were),
        test(words_and_complex_numbers_are_kept),
        test(lists_keep_brackets_and_items),
        test(expressions_are_no_lists),
        test(pairs_keep_their_order_and_repeat),
        test(columns_are_set_apart_as_pnnx_does),
        test(a_nul_is_refused),
        test(an_archive_has_the_bytes_of_pnnx),
        test(a_model_without_weights_has_an_empty_archive),
        test(weights_are_read_again),
        test(operators_of_one_name_share_their_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
