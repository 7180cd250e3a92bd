import fc from 'fast-check';
import { describeScripts, sameReplies } from '../support/lua-script.js';

/** A Lua string literal with every byte escaped. */
function quote(text: string): string {
  return `"${[...text].map((character) => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`).join('')}"`;
}

const decoded = (json: string) => `return cjson.encode(cjson.decode(${quote(json)}))`;
const broken = (json: string) => `return cjson.decode(${quote(json)})`;

describeScripts('Lua: cjson and cmsgpack', (comparison) => {
  sameReplies(comparison, 'cjson.encode returns the same text as in Redis', [
    'return cjson.encode(1)',
    'return cjson.encode("x")',
    'return cjson.encode(nil)',
    'return cjson.encode(true)',
    'return cjson.encode(cjson.null)',
    'return cjson.encode({})',
    'return cjson.encode({1,2,3})',
    'return cjson.encode({1,nil,3})',
    'return cjson.encode({[1]=1,[2]=2,[5]=5})',
    'return cjson.encode({[1]=1,[20]=2})',
    'return cjson.encode({[11]=1})',
    'return cjson.encode({[10]=1})',
    'return cjson.encode({[0]=1})',
    'return cjson.encode({[-1]=1})',
    'return cjson.encode({[1.5]=1})',
    'return cjson.encode({1,2,x=3})',
    'return cjson.encode({a={b={c={}}}})',
    'return cjson.encode({{},{{}}})',
    'return cjson.encode("quote\\" slash/ back\\\\ nl\\n cr\\r tab\\t bs\\b ff\\f nul\\0 one\\1 del\\127 high\\200")',
    'return cjson.encode(1/3)..cjson.encode(1e20)..cjson.encode(1e15)..cjson.encode(-0)..cjson.encode(0.1)',
    'return cjson.encode(123456789012345678)',
    'return cjson.encode(0/0)',
    'return cjson.encode(1/0)',
    'return cjson.encode({[true]=1})',
    'return cjson.encode(type)',
    'return cjson.encode({f=type})',
    'return cjson.encode(coroutine.create(function() end))',
    'return cjson.encode()',
    'return cjson.encode(1,2)',
    'local t={} for i=1,1000 do t={t} end return #cjson.encode(t)',
    'local t={} for i=1,1001 do t={t} end return cjson.encode(t)',
    'local c=cjson.new() c.encode_max_depth(2) return {c.encode({{1}}),pcall(c.encode,{{{1}}})}',
    'local c=cjson.new() c.encode_number_precision(3) return c.encode(3.14159)',
    'local c=cjson.new() c.encode_sparse_array(true) return c.encode({[1]=1,[50]=2})',
    'local c=cjson.new() c.encode_sparse_array(false,0) return #c.encode({[1]=1,[50]=2})',
    'local c=cjson.new() c.encode_invalid_numbers(true) return {c.encode(1/0),c.encode(-1/0)}',
    'local c=cjson.new() c.encode_invalid_numbers("null") return {c.encode(0/0),tostring(c.encode_invalid_numbers())}',
    'local c=cjson.new() c.decode_invalid_numbers(false) return c.decode("0x10")',
    'local c=cjson.new() c.decode_invalid_numbers(false) return c.decode("inf")',
    'local c=cjson.new() c.decode_invalid_numbers(false) return c.decode("-01")',
    'local c=cjson.new() c.decode_max_depth(2) return c.decode("[[[1]]]")',
    'return {cjson.encode_max_depth(),cjson.decode_max_depth(),cjson.encode_number_precision()}',
    'cjson.encode_max_depth(0)',
    'cjson.encode_max_depth("x")',
    'cjson.encode_max_depth(1,2)',
    'cjson.encode_keep_buffer("maybe")',
    'return tostring(cjson.encode_keep_buffer())',
    'cjson.encode_sparse_array(1)',
    'cjson.encode_sparse_array(true,-1)',
    'return cjson._NAME..cjson._VERSION',
    'return tostring(cjson.null)',
    'return tostring(cjson.null==nil)',
  ]);

  sameReplies(comparison, 'cjson.decode accepts the same texts as in Redis', [
    ...[
      '1',
      '-1.5e3',
      '"x"',
      'null',
      'true',
      'false',
      '[]',
      '{}',
      ' [ 1 , 2 ] ',
      '{"a":1}',
      '[[],[[]],{}]',
    ].map(decoded),
    ...[
      '{"a":{"b":[1,2,{"c":null}]}}',
      '"\\u0041\\u00e9\\u20ac\\ud83d\\ude00"',
      '"\\n\\t\\b\\f\\r\\/\\\\\\""',
    ].map(decoded),
    ...[
      '[1,2,3,null]',
      '[null,1]',
      '1e400',
      '1.',
      '-.5',
      '.5',
      '+1',
      '01',
      '0x1F',
      'Infinity',
      '-inf',
      '1e5',
    ].map(broken),
    ...['', ' ', '{', '[', '[1', '[1,', '[1,]', '[,1]', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}'].map(
      broken,
    ),
    ...[
      '{1:2}',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '[1 2]',
      'nul',
      'tru',
      'falsee',
      '"abc',
      '"a\\x"',
      '"\\u12"',
      '"\\u12g4"',
    ].map(broken),
    ...[
      '"\\ud800"',
      '"\\udc00"',
      '"\\ud800\\u0041"',
      '1 2',
      '[] []',
      '@',
      "'a'",
      '{"a":}',
      '}',
      ']',
      ':',
      ',',
      '-',
      '"a\nb"',
    ].map(broken),
    ...['\0\0', 'a\0', '[1\0]', '"a\0b"'].map(broken),
    'return cjson.decode(12)',
    'return cjson.decode({})',
    'return cjson.decode()',
    'return cjson.decode("1","2")',
    'return cjson.decode(string.rep("[",1000)..string.rep("]",1000))',
    'return cjson.decode(string.rep("[",1001)..string.rep("]",1001))',
    'return tostring(cjson.decode("[null]")[1]==cjson.null)',
    'return #cjson.decode("[1,2,3]")',
    'return cjson.decode(\'{"a":1,"a":2}\').a',
  ]);

  sameReplies(comparison, 'cmsgpack packs and unpacks as in Redis', [
    'return cmsgpack.pack(nil)..cmsgpack.pack(true)..cmsgpack.pack(false)',
    'local s="" for _,n in ipairs({0,1,127,128,255,256,65535,65536,4294967295,4294967296,2^53,2^62,2^63,2^64}) do s=s..cmsgpack.pack(n) end return s',
    'local s="" for _,n in ipairs({-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,-2^53,-2^63}) do s=s..cmsgpack.pack(n) end return s',
    'return cmsgpack.pack(1.5)..cmsgpack.pack(0.1)..cmsgpack.pack(-2.25)..cmsgpack.pack(1e300)..cmsgpack.pack(1/0)',
    'return cmsgpack.pack("")..cmsgpack.pack("abc")..cmsgpack.pack(("x"):rep(31))..cmsgpack.pack(("x"):rep(32))',
    'return cmsgpack.pack(("x"):rep(255)):sub(1,4)..cmsgpack.pack(("x"):rep(256)):sub(1,4)..cmsgpack.pack(("x"):rep(65536)):sub(1,6)',
    'return cmsgpack.pack({})..cmsgpack.pack({1,2,3})..cmsgpack.pack({a=1})..cmsgpack.pack({1,nil,3})',
    'local t={} for i=1,16 do t[i]=i end return cmsgpack.pack(t)',
    'local t={} for i=1,70000 do t[i]=1 end return cmsgpack.pack(t):sub(1,6)',
    'local t={} for i=1,20 do t["k"..i]=i end return cmsgpack.pack(t)',
    'return cmsgpack.pack({[1]=1,[3]=3})',
    'return cmsgpack.pack({[0]=1})..cmsgpack.pack({[1.5]=1})',
    'return cmsgpack.pack({{{}}})',
    'local t={} for i=1,20 do t={t} end return cmsgpack.pack(t)',
    'local t={} for i=1,20 do t={a=t} end return cmsgpack.pack(t)',
    'return cmsgpack.pack(type)..cmsgpack.pack(cjson.null)',
    'return cmsgpack.pack(1,"a",{2})',
    'cmsgpack.pack()',
    'return {cmsgpack.unpack(cmsgpack.pack(1,"a",{2,{3}}))}',
    'return {cmsgpack.unpack("")}',
    'return {cmsgpack.unpack_one("\\1\\2\\3")}',
    'return {cmsgpack.unpack_one("\\1\\2\\3",2)}',
    'return {cmsgpack.unpack_one("\\1\\2\\3",3)}',
    'return {cmsgpack.unpack_one("\\1\\2\\3",4)}',
    'return {cmsgpack.unpack_one("\\1",-1)}',
    'return {cmsgpack.unpack_limit("\\1\\2\\3",2)}',
    'return {cmsgpack.unpack_limit("\\1\\2\\3",5,1)}',
    'return {cmsgpack.unpack_limit("\\1\\2\\3",0,1)}',
    'return {cmsgpack.unpack_limit("\\1\\2\\3",-1)}',
    'return cmsgpack.unpack("\\147\\1")',
    'return cmsgpack.unpack("\\193")',
    'return cmsgpack.unpack("\\163ab")',
    'return cmsgpack.unpack("\\129\\192\\1")',
    'return cmsgpack.unpack("\\199\\1\\1\\1")',
    'return cmsgpack.unpack("\\196\\3abc")..cmsgpack.unpack("\\197\\0\\3abc")',
    'return {tostring(cmsgpack.unpack("\\202\\63\\192\\0\\0")),tostring(cmsgpack.unpack("\\203\\63\\185\\153\\153\\153\\153\\153\\154"))}',
    'return {cmsgpack.unpack("\\208\\128\\209\\128\\0\\210\\128\\0\\0\\0\\224")}',
    'return tostring(cmsgpack.unpack("\\207\\255\\255\\255\\255\\255\\255\\255\\255"))..tostring(cmsgpack.unpack("\\211\\255\\255\\255\\255\\255\\255\\255\\255"))',
    'cmsgpack.unpack()',
    'cmsgpack.unpack({})',
    'return cmsgpack.unpack(5)',
  ]);

  const numbers = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.constantFrom(0, 1, -1, 0.5, 1e15, 2 ** 53),
  );
  const literal = (value: number) =>
    value === Infinity ? '(1/0)' : value === -Infinity ? '(-1/0)' : `(${value})`;
  const seed = { seed: 20_240_501, numRuns: 300 };

  sameReplies(
    comparison,
    'numbers print and calculate alike',
    fc.sample(
      fc
        .tuple(numbers, numbers, fc.constantFrom('+', '-', '*', '/', '%', '<', '<=', '==', '..'))
        .map(([a, b, operator]) => `return tostring(${literal(a)} ${operator} ${literal(b)})`),
      seed,
    ),
  );

  sameReplies(
    comparison,
    'formats print alike',
    fc.sample(
      fc
        .tuple(
          fc.constantFrom('', '-', '+', ' ', '#', '0', '-+', '+0'),
          fc.constantFrom('', '1', '5', '12', '30'),
          fc.constantFrom('', '.', '.0', '.1', '.3', '.14', '.20'),
          fc.constantFrom('d', 'i', 'u', 'x', 'X', 'o', 'e', 'E', 'f', 'g', 'G', 's'),
          fc.oneof(
            fc.double({ min: -1e9, max: 1e9, noNaN: true }),
            fc.integer(),
            fc.integer().map((n) => n / 8),
          ),
        )
        .map(
          ([flags, width, precision, letter, value]) =>
            `return string.format("%${flags}${width}${precision}${letter}",${literal(value)})`,
        ),
      seed,
    ),
  );

  const words = fc.string({
    unit: fc.constantFrom('a', 'b', 'A', '1', ' ', '.', '-', '(', ')', '%', ']'),
    maxLength: 12,
  });
  const patterns = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        '.',
        '%a',
        '%d',
        '%s',
        '[ab]',
        '[^a]',
        '[%w.]',
        '(',
        ')',
        '()',
        '%1',
        '%b()',
        '%f[%w]',
        '^',
        '$',
        '-',
        '%(',
      ),
      { maxLength: 5 },
    )
    .chain((items) =>
      fc
        .array(fc.constantFrom('', '', '*', '+', '-', '?'), {
          minLength: items.length,
          maxLength: items.length,
        })
        .map((suffixes) => items.map((item, i) => item + suffixes[i]).join('')),
    );
  sameReplies(
    comparison,
    'patterns match alike',
    fc.sample(
      fc
        .tuple(words, patterns, fc.constantFrom('find', 'match', 'gsub'))
        .map(([subject, pattern, name]) =>
          name === 'gsub'
            ? `return {string.gsub(${quote(subject)},${quote(pattern)},"<%0>")}`
            : `return {string.${name}(${quote(subject)},${quote(pattern)})}`,
        ),
      { ...seed, numRuns: 600 },
    ),
  );

  sameReplies(
    comparison,
    'JSON survives alike',
    fc.sample(
      fc
        .jsonValue({ maxDepth: 3, noUnicodeString: true } as never)
        .map((value) => decoded(JSON.stringify(value))),
      { ...seed, numRuns: 150 },
    ),
  );

  sameReplies(
    comparison,
    'tables are visited alike after any insertions, and removals of what is no element',
    fc.sample(
      fc
        .array(
          fc.oneof(
            fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom('1', '2', '3')),
            fc.tuple(
              fc.constantFrom('-2', '-1', '0', '1.5', '"a"', '"b"', '"c"', '"d"', '"e"', '"f"'),
              fc.constantFrom('1', '2', '3', 'nil'),
            ),
          ),
          { maxLength: 15 },
        )
        .map(
          (steps) =>
            `local t={} ${steps.map(([key, value]) => `t[${key}]=${value}`).join(' ')} local r={} for k,v in pairs(t) do r[#r+1]=tostring(k)..v end return r`,
        ),
      { ...seed, numRuns: 300 },
    ),
  );
});
