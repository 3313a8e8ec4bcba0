#!/usr/bin/env python3
"""check_onnx.py FILE... - has the checker of ONNX look at models, types and shapes included

Prints "FILE: OK" or "FILE: what is wrong". Ends with 1 if a model is faulty, else with 77 if a model
was skipped: it is of a later opset than the package onnx knows, or there is no such package.
"""
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # which has Debian's packages, whatever comes first in PATH
SKIPPED = 77

try:
    import onnx
except ImportError:
    if sys.executable != SYSTEM_PYTHON and os.access(SYSTEM_PYTHON, os.X_OK):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print("skipped: no Python package onnx (Debian: python3-onnx)")
    sys.exit(SKIPPED)


def is_too_new(model):
    known = onnx.defs.onnx_opset_version()
    return any(o.domain in ("", "ai.onnx") and o.version > known for o in model.opset_import)


def check(path):
    """True if sound, None if skipped."""
    try:
        model = onnx.load(path, load_external_data=False)
        if is_too_new(model):
            print(f"skipped: {path}: onnx {onnx.__version__} does not know its opset")
            return None
        onnx.checker.check_model(path)  # by its path, beside which external data are
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception as error:  # of a class of its own, or one of protobuf's, or the system's
        print(f"{path}: {' '.join(str(error).split())}")
        return False
    print(f"{path}: OK")
    return True


results = [check(path) for path in sys.argv[1:]]
sys.exit(1 if False in results else SKIPPED if None in results else 0)
