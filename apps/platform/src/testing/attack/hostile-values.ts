/** Values that no schema of ours means, and texts over which other programs have fallen. */
export const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 63)],
  ...["", " ", "0", "-1", "1e9", "NaN", "true", "null", "\u0000", "\ud800", "\u202e\u2066x", "İ".repeat(70)],
  ...["x".repeat(300), "x".repeat(5_000), "' or 1=1 --", "'; drop table player; --", "%' escape '", "$1", "\\"],
  ...["{{7*7}}<%= 7*7 %>", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "file:///etc/passwd", "%00%s%n%x"],
  ...[
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "\r\nset-cookie: a=b",
    "__proto__",
    "constructor",
    "toString",
  ],
  ...[[], {}, [[[[]]]], { $ne: null }, { length: 1e9 }, Array.from({ length: 200 }, () => 0)],
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'),
  JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`),
];

/** Fields that nobody asked for: an answer must be as without them. */
const MORE_FIELDS = { admin: true, playerId: "p_somebody", Permissions: [1], balance: 1e9, banned_at: null };

/** A sample with each of its values replaced by each hostile one, each of its fields left out, and fields that nobody asked for. */
export function mutationsOf(sample: unknown): unknown[] {
  const fields = typeof sample === "object" && sample !== null && !Array.isArray(sample) ? Object.entries(sample) : [];
  return [
    ...HOSTILE_VALUES,
    ...fields.flatMap(([name, value]) => [
      Object.fromEntries(fields.filter(([other]) => other !== name)),
      ...mutationsOf(value).map((mutated) => ({ ...(sample as object), [name]: mutated })),
    ]),
    ...(fields.length > 0 ? [{ ...(sample as object), ...MORE_FIELDS }] : []),
  ];
}
