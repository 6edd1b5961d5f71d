import { expect, test } from "vitest";
import { cleanObject, cleanText } from "./audit.ts";

test("secrets are hidden by the name of their field, wherever they stand, and in addresses", () => {
  const cleaned = cleanObject({
    password: "a",
    Old_Password: "b",
    turn: { secret: "c", urls: ["turn:relay:3478"] },
    list: [{ agentKey: "d", PIN: "e", "api-key": "f" }],
    databaseUrl: "postgres://user:g@host/name",
    camera: "rtsp://admin:h@10.0.0.9/stream1",
    key_of_map: "kept",
  });
  expect(cleaned).toEqual({
    password: "[hidden]",
    Old_Password: "[hidden]",
    turn: { secret: "[hidden]", urls: ["turn:relay:3478"] },
    list: [{ agentKey: "[hidden]", PIN: "[hidden]", "api-key": "[hidden]" }],
    databaseUrl: "postgres://[hidden]@host/name",
    camera: "rtsp://[hidden]@10.0.0.9/stream1",
    key_of_map: "kept",
  });
});

test("hostile text is harmless: no control characters, no turned writing, no halves of letters, no great length", () => {
  expect(cleanText("a\u001b[2Jb\u0000c\r\nd\u202Ee\uD800", 100)).toBe("a\uFFFD[2Jb\uFFFDc\uFFFD\uFFFDd\uFFFDe\uFFFD");
  expect(cleanText("x".repeat(5_000), 200)).toHaveLength(200);
  const circle: Record<string, unknown> = { deep: { deep: { deep: { deep: { deep: { deep: { deep: 1 } } } } } } };
  circle["self"] = circle;
  circle["number"] = Number.NaN;
  circle["big"] = 10n ** 20n;
  circle["when"] = new Date(Number.NaN);
  circle["bytes"] = Buffer.from("secret");
  expect(() => JSON.stringify(cleanObject(circle))).not.toThrow();
  expect(cleanObject(circle)).toMatchObject({ self: "[cut]", number: "NaN", when: null, bytes: "[6 bytes]" });
  expect(cleanObject({ all: Array.from({ length: 90 }, () => "€".repeat(2_000)) })).toEqual({
    cut: expect.any(Number),
  });
});
