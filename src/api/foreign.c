/*
 * foreign.c - files that are no NNEF text, known by how they begin
 *
 * An NNEF text begins with comments and one of the words `version`, `extension`, `fragment` and
 * `graph`; whatever is told here by a word or sign begins otherwise.
 */
#include "api/formats.h"

#include <string.h>

enum { FIRST_BLOCK = 4096 };

static const char find_document[] = "name the model's folder, archive or 'graph.nnef'.";
static const char convert_first[] =
    "convert it to NNEF first, for example with the converter of NNEF-Tools.";
static const char save_text[] = "save it as ASCII or UTF-8.";

struct format {
    size_t at;
    const char *magic, *name, *help;
};

static const struct format binaries[] = {
    {0, "\x93NUMPY", "a NumPy array", find_document},
    {0, "\x89PNG", "a PNG image", find_document},
    {0, "N\xEF", "a tensor file", find_document},
    {0, "\xFF\xD8\xFF", "a JPEG image", find_document},
    {0,
     "\x7F"
     "ELF",
     "a program", find_document},
    {0, "%PDF", "a PDF document", find_document},
    {0, "\x89HDF\r\n", "an HDF5 file, perhaps a Keras model", convert_first},
    {4, "TFL3", "a TensorFlow Lite model", convert_first},
    {0, "7767517", "a model of PNNX, or of ncnn", find_document},
    {0, "\xFF\xFE", "text in UTF-16", save_text},
    {0, "\xFE\xFF", "text in UTF-16", save_text},
};

static const struct format other_binary = {0, "", "a binary file", find_document};

/* What the text behind comments begins with. */
static const struct format texts[] = {
    {0, "<!DOCTYPE html", "an HTML page", "download the file itself, not the page that shows it."},
    {0, "<!doctype html", "an HTML page", "download the file itself, not the page that shows it."},
    {0, "<html", "an HTML page", "download the file itself, not the page that shows it."},
    {0, "<", "an XML text", find_document},
    {0, "{", "a JSON text", find_document},
    {0, "import ", "a Python program", "run it to export the model, if that is what it does."},
    {0, "from ", "a Python program", "run it to export the model, if that is what it does."},
    {0, "def ", "a Python program", "run it to export the model, if that is what it does."},
    {0, "class ", "a Python program", "run it to export the model, if that is what it does."},
    {0, "ir_version:", "an ONNX model as text", convert_first},
    {0, "name:", "a network for Caffe, or another text of protocol buffers", convert_first},
    {0, "layer {", "a network for Caffe", convert_first},
    {0, "node {", "a graph of TensorFlow as text", convert_first},
};

static const struct format quantization = {0, "", "a quantization file",
                                           "name the graph; it is read beside it, or by --quant."};

static bool has_magic(const char *text, size_t size, const struct format *format)
{
    size_t length = strlen(format->magic);

    return size >= format->at + length && memcmp(text + format->at, format->magic, length) == 0;
}

/* ModelProto: the version of the format, then one of the fields that name producer or graph. */
bool is_onnx(const void *bytes, size_t size)
{
    static const char second[] = {0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42};
    const char *text = bytes;

    return size > 2 && text[0] == 0x08 && text[1] > 0 && text[1] < 0x20 &&
           memchr(second, text[2], sizeof second);
}

static const char *past_comments(const char *text, const char *end)
{
    while (text < end && *text && strchr(" \t\r\n\f\v#", *text)) {
        if (*text != '#') {
            text++;
            continue;
        }
        text = memchr(text, '\n', (size_t)(end - text));
        if (!text)
            return end;
    }
    return text;
}

/* A string and a colon. */
static bool is_quantization(const char *text, const char *end)
{
    if (text == end || (*text != '"' && *text != '\''))
        return false;
    const char *close = memchr(text + 1, *text, (size_t)(end - text - 1));
    if (!close)
        return false;
    close = past_comments(close + 1, end);
    return close < end && *close == ':';
}

static const struct format *format_of(const char *text, size_t size)
{
    const char *begin = past_comments(text, text + size);
    size_t rest = size - (size_t)(begin - text);

    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
        if (has_magic(text, size, &binaries[i]))
            return &binaries[i];
    if (memchr(text, '\0', size < FIRST_BLOCK ? size : FIRST_BLOCK))
        return &other_binary;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (has_magic(begin, rest, &texts[i]))
            return &texts[i];
    return is_quantization(begin, begin + rest) ? &quantization : NULL;
}

bool is_nnef(const struct nnefc_model *model, const char *name)
{
    const struct format *format = format_of(model->text, model->size);

    if (!format)
        return true;
    diag_file_error(model->context->diag, name, DIAG_FOREIGN_FORMAT, "this is %s, not an NNEF text",
                    format->name);
    diag_help(model->context->diag, "%s", format->help);
    return false;
}
