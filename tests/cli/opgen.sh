#!/bin/sh
# opgen.sh - the generator refuses signatures and '#@' lines that it cannot turn into operators
. "$(dirname "$0")/lib.sh"

opgen=${OPGEN:-$top/build/host/opgen}
if [ ! -x "$opgen" ]; then
    skipped=1
    finish
    exit
fi
said='(opgen)'
echo 'fragment same(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x; }' >none

# generated STATUS - runs the generator on the text of standard input
generated()
{
    cat >text
    "$opgen" ops.h ops.c text none >out 2>err
    got=$?
    meets "exit status $1 (it was $got)" [ $got -eq "$1" ]
}

# refused MESSAGE - the same, and the message is the only one
refused()
{
    generated 1
    echo "opgen: $1" >expected
    meets "message '$1'" cmp -s expected err
}

# the near miss of all that follows
generated 0 <<'TEXT'
#@ attrs window; border: constant ignore; stride >= 1; signed as is_signed
#@ axes was perm
fragment one(x: tensor<scalar>, border: string, stride: integer[], signed: logical, axes: integer[])
-> (y: tensor<scalar>);
#@ attrs window; border: constant
fragment two(x: tensor<scalar>, border: string) -> (y: tensor<scalar>);
TEXT
meets 'one enum for both' grep -q '^enum border {' ops.h
meets 'the words of the second end sooner' grep -q '"constant", NULL};' ops.c
meets 'a minimum' grep -q '"stride".*\.bounded = true, \.min = 1' ops.c
meets 'the name of the field' grep -q 'bool is_signed;' ops.h
meets 'the provisional name' grep -q '"axes".*\.provisional = "perm"' ops.c

refused "text: no fragment below has use for 'strid >= 1'" <<'TEXT'
#@ strid >= 1
fragment one(x: tensor<scalar>, stride: integer[]) -> (y: tensor<scalar>);
TEXT

refused "text: no fragment below has use for 'kept'" <<'TEXT'
#@ kept
fragment one(x: tensor<scalar>) -> (y: tensor<scalar>);
TEXT

refused "text: no fragment below has use for 'attrs window'" <<'TEXT'
fragment one(x: tensor<scalar>) -> (y: tensor<scalar>);
#@ attrs window
TEXT

refused "text: 'even' is not word 1 of 'border'" <<'TEXT'
#@ border: constant ignore
fragment one(x: tensor<scalar>, border: string) -> (y: tensor<scalar>);
#@ border: constant even
fragment two(x: tensor<scalar>, border: string) -> (y: tensor<scalar>);
TEXT

refused "text: too many words of 'border'" <<'TEXT'
#@ border: a b c d e f g h i j k l m n o p q
fragment one(x: tensor<scalar>, border: string) -> (y: tensor<scalar>);
TEXT

refused "text: too many clauses behind '#@'" <<'TEXT'
#@ a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q
fragment one(x: tensor<scalar>) -> (y: tensor<scalar>);
TEXT

refused "'axis' has two types in 'struct window_attrs'" <<'TEXT'
#@ attrs window
fragment one(x: tensor<scalar>, axis: integer) -> (y: tensor<scalar>);
fragment two(x: tensor<scalar>, axis: integer[]) -> (y: tensor<scalar>);
TEXT

refused "text: an array of attributes is of primitive items or of pairs" <<'TEXT'
fragment one(x: tensor<scalar>, triples: (integer,integer,integer)[]) -> (y: tensor<scalar>);
TEXT

refused "text: no attribute can have the type of 'pair'" <<'TEXT'
fragment one(x: tensor<scalar>, pair: (integer,integer)) -> (y: tensor<scalar>);
TEXT

# a text that is no NNEF is reported as nnefc does
generated 1 <<'TEXT'
fragment one(x: tensor<scalar> -> (y: tensor<scalar>);
TEXT
meets 'a diagnostic with its place' grep -q 'text:1:' err

"$opgen" ops.h ops.c missing none >out 2>err
echo "opgen: cannot read 'missing'" >expected
meets 'a text that is not there' cmp -s expected err
"$opgen" ops.h ops.c >out 2>err
meets 'the usage' grep -q '^opgen: usage: opgen OPS.H' err

finish
