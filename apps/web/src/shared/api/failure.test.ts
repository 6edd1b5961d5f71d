import { expect, test } from "vitest";
import { readFailure } from "./failure.ts";

const read = (answer: unknown) => readFailure("refused", 400, answer);

test("D-59: a code may be a number, a text of digits, or carry its prefix; anything else is none", () => {
  for (const code of [18800, "18800", "CODE_18800"]) expect(read({ code }).code).toBe(18800);
  for (const code of [1.5, Number.NaN, "CODE_", "10 ", "1e3", "", null, {}, "9".repeat(400)]) {
    expect(read({ code })).not.toHaveProperty("code");
  }
});

test("D-53: field errors are read wherever they stand, beside a code; strange entries are left out", () => {
  const list = [{ type: "email", message: "E" }, { type: "age", message: "x" }, 7, null, { type: "password" }];
  for (const key of ["errors", "error", "Params"]) {
    expect(read({ code: 10701, ErrorMessage: "no", [key]: list })).toMatchObject({
      ...{ code: 10701, message: "no" },
      fields: [{ type: "email", message: "E" }],
    });
  }
  expect(read({ errors: [], error: [{ type: "password", message: "P" }] }).fields).toEqual([
    { type: "password", message: "P" },
  ]);
});

test.each([undefined, null, "no", 7, [], { code: {}, ErrorMessage: ["x"], Params: 5, errors: "e", error: {} }])(
  "%j says nothing more than that it failed",
  (answer) => {
    expect(read(answer)).toEqual({ is: "refused", httpStatus: 400, params: {}, fields: [] });
  },
);

test("huge sentences and values are cut", () => {
  const huge = "x".repeat(1_000_000);
  const { message, params, fields } = read({
    ErrorMessage: huge,
    Params: { left_count: huge, block_time: 5, more: {} },
    errors: [{ type: "email", message: huge }],
  });
  expect([message, params["left_count"], fields[0]?.message].map((text) => String(text).length)).toEqual([
    401, 401, 401,
  ]);
  expect(Object.keys(params)).toEqual(["left_count", "block_time"]);
});
