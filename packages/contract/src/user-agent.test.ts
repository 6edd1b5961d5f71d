import { expect, test } from "vitest";
import { deviceOf, systemOf } from "./user-agent.ts";

test.each([
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36", "Chrome, Windows"],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0", "Edge, Windows"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19 Safari/604", "Safari, iPhone"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox, Linux"],
  ["curl/8.0", ""],
  ["", ""],
])("the device of %s is %j", (agent, device) => {
  expect(deviceOf(agent)).toBe(device);
});

test("a passkey is named after the system", () => {
  expect(systemOf("Mozilla/5.0 (Linux; Android 16) Chrome/141.0")).toBe("Android");
});
