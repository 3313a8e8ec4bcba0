#!/usr/bin/python3
"""agree.py NNEFC MODEL [OPTION...] [MODEL [OPTION...]...] - whether the portable backend computes what the reference does

Each model is run by the reference, then by that backend with one thread and two, with and
without --exact.  The largest difference of an output, as a part of the largest number of that output, is
printed; one above 1e-4 makes the exit status 1.  Options of 'nnefc run' behind a model, such as
--shape=x=1,3,320,320 or --input=FILE, are for that; what is not fed is random, from -1 to 1.  A network that takes
such numbers for next to nothing, as one does of images whose numbers go to 255, may lose its digits by them.
"""
import json
import os
import subprocess
import sys
import tempfile

TOLERANCE = 1e-4


def call(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 5):  # 5: results differ
        sys.exit(f'agree: {" ".join(arguments)} has failed')
    return done.stdout


def run(nnefc, model, to, *options):
    return call(nnefc, 'run', *model, '--random', '-o', to, '-q', *options)


def scale_of(output):
    """The largest number of an output, which counts as one at least when it is next to nothing."""
    return max(abs(output.get('min', 0)), abs(output.get('max', 0)), sys.float_info.min)


def apart(nnefc, found, expected, scales):
    told = json.loads(call(nnefc, 'compare', found, expected, '--json', '--atol=0', '--rtol=0'))
    return max(float(result['maxAbsolute']) / scales[result['b']['name']] for result in told['results'])


def ways():
    for threads in (1, 2):
        for exact in ([], ['--exact']):
            yield ['--backend=portable', f'--threads={threads}', *exact]


def check(nnefc, model, folder):
    expected, found = os.path.join(folder, 'expected.npz'), os.path.join(folder, 'found.npz')
    told = json.loads(run(nnefc, model, expected, '--backend=reference', '--json'))
    scales = {output['name']: scale_of(output) for output in told['outputs']}
    good = True
    for way in ways():
        run(nnefc, model, found, *way)
        difference = apart(nnefc, found, expected, scales)
        ok = difference <= TOLERANCE
        good = good and ok
        print(f'{os.path.basename(model[0]):24.24} {" ".join(way):40} {difference:8.2g}{"" if ok else "  TOO MUCH"}',
              flush=True)
    return good


def models_of(words):
    """Each with its options."""
    models = []
    for word in words:
        if word.startswith('-') and models:
            models[-1].append(word)
        else:
            models.append([word])
    return models


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for model in models_of(sys.argv[2:]):
            good = check(sys.argv[1], model, folder) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
