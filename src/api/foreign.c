/*
 * foreign.c - files that are no NNEF text, known by how they begin
 *
 * An NNEF text begins with comments and one of the words `version`, `extension`, `fragment` and
 * `graph`.  The words and signs here begin otherwise, so that no text of NNEF is taken for another.
 */
#include "api/formats.h"

#include <assert.h>
#include <string.h>

enum { FIRST_BLOCK = 4096 }; /* a NUL among so many bytes tells that they are no text */

static const char find_document[] = "name the model's folder, archive or 'graph.nnef'.";
static const char convert_first[] =
    "convert it to NNEF first, for example with the converter of NNEF-Tools.";
static const char save_text[] = "save it as ASCII or UTF-8.";

/* How a file begins that is not ours: `magic` at that byte. */
struct foreign_format {
    size_t at;         /* in bytes from the beginning */
    const char *magic; /* "" if code tells it */
    const char *name;  /* "this is ..., not an NNEF text" */
    const char *help;  /* what to do about it */
};

static const struct foreign_format binaries[] = {
    {0, "\x93NUMPY", "a NumPy array", find_document},
    {0, "\x89PNG", "a PNG image", find_document},
    {0, "N\xEF", "a tensor file", find_document},
    {0, "\xFF\xD8\xFF", "a JPEG image", find_document},
    {0, "\177ELF", "a program", find_document},
    {0, "%PDF", "a PDF document", find_document},
    {0, "\x89HDF\r\n", "an HDF5 file, perhaps a Keras model", convert_first},
    {4, "TFL3", "a TensorFlow Lite model", convert_first},
    {0, "7767517", "a model of PNNX, or of ncnn", find_document},
    {0, "\xFF\xFE", "text in UTF-16", save_text},
    {0, "\xFE\xFF", "text in UTF-16", save_text},
};

static const struct foreign_format other_binary = {0, "", "a binary file", find_document};

/* What the text behind comments begins with. */
static const struct foreign_format texts[] = {
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

static const struct foreign_format quantization = {
    0, "", "a quantization file", "name the graph; it is read beside it, or by --quant."};

/* The first of `count` formats that `text` begins with; NULL: none. */
static const struct foreign_format *find_format(const struct foreign_format *format, size_t count,
                                                const char *text, size_t size)
{
    for (; count > 0; count--, format++) {
        size_t length = strlen(format->magic);
        if (size >= format->at + length && memcmp(text + format->at, format->magic, length) == 0)
            return format;
    }
    return NULL;
}

/* Behind white space and comments, which run to the end of their line. */
static const char *past_comments(const char *text, const char *end)
{
    assert(text <= end);
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

/* Words and signs at the very beginning come first, then those behind comments. */
bool is_nnef(const struct nnefc_model *model, const char *name)
{
    size_t size = model->size;
    const char *text = model->text, *end = text + size, *begin = past_comments(text, end);
    const struct foreign_format *found =
        find_format(binaries, sizeof binaries / sizeof binaries[0], text, size);

    if (!found && memchr(text, '\0', size < FIRST_BLOCK ? size : FIRST_BLOCK))
        found = &other_binary;
    if (!found)
        found = find_format(texts, sizeof texts / sizeof texts[0], begin, (size_t)(end - begin));
    /* A quantization file begins with a label, which is a string, and a colon. */
    if (!found && begin < end && (*begin == '"' || *begin == '\'')) {
        const char *close = memchr(begin + 1, *begin, (size_t)(end - begin - 1));
        close = close ? past_comments(close + 1, end) : end;
        found = close < end && *close == ':' ? &quantization : NULL;
    }
    if (!found)
        return true;
    diag_file_error(model->context->diag, name, DIAG_FOREIGN_FORMAT, "this is %s, not an NNEF text",
                    found->name);
    return diag_help(model->context->diag, "%s", found->help);
}
