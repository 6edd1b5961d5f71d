import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { logOfRequest } from "./request-log.ts";

function logged() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { logLevel: "info", logFormat: "json" },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  return { log, lines };
}

test("what a request says carries its number, and so does what its children say", () => {
  const { log, lines } = logged();
  const own = logOfRequest(log, { reqId: "req-7" }, {});
  own.info({ token: "abc" }, "refused");
  own.child({ part: "seat" }).error("failed");
  expect(lines).toEqual([
    expect.objectContaining({ reqId: "req-7", token: "[hidden]", msg: "refused" }),
    expect.objectContaining({ reqId: "req-7", part: "seat", msg: "failed" }),
  ]);
});

test("a request that has nothing to say makes no log of its own", () => {
  const { log, lines } = logged();
  let made = 0;
  const child = log.child.bind(log);
  log.child = (...given) => {
    made += 1;
    return child(...given);
  };
  const own = logOfRequest(log, { reqId: "req-8" }, {});
  own.debug("answered");
  own.trace("answered");
  own.silent("answered");
  expect(made).toBe(0);
  own.warn("slow");
  own.warn("slower");
  expect(made).toBe(1);
  expect(lines.map(({ msg }) => msg)).toEqual(["slow", "slower"]);
  expect(own.level).toBe("info");
});
