import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

let folder: string;
let venue: TestVenue;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "the console");
  await writeFile(join(folder, ".built-from"), "sources");
  await writeFile(join(folder, "assets/main-0a1B2c3D.js"), "script");
  venue = await testVenue({ env: { STAFF_PORT: "0", CONSOLE_FOLDER: folder } });
});
afterAll(async () => {
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (url: string, accept = "text/html") =>
  venue.platform.staff!.app.inject({ url, headers: { host: "localhost:0", accept } });

test.each(["/", "/staff", "/approvals/ap_1", "/invitation"])("%s is the console's page", async (url) => {
  const reply = await get(url);
  expect([reply.statusCode, reply.body]).toEqual([200, "the console"]);
  expect(reply.headers["cache-control"]).toBe("no-cache");
});

test("its content policy admits nothing of other hosts, no frame around it, and no text that becomes a script", async () => {
  const { headers } = await get("/");
  expect(headers["content-security-policy"]).toBe(
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self' ws://localhost:0",
      "img-src 'self' blob:",
      "media-src blob:",
      "font-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join("; "),
  );
  expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
  expect(headers["referrer-policy"]).toBe("no-referrer");
});

test("a host that could carry more than a name is not written into the policy", async () => {
  const reply = await venue.platform.staff!.app.inject({ url: "/", headers: { host: "x;script-src *" } });
  expect(String(reply.headers["content-security-policy"])).not.toContain("*");
});

test("assets are kept for ever, and what begins with a dot is not given out", async () => {
  const script = await get("/assets/main-0a1B2c3D.js", "*/*");
  expect(script.headers["cache-control"]).toContain("immutable");
  expect((await get("/.built-from", "*/*")).body).not.toContain("sources");
  expect((await get("/assets/missing.js", "*/*")).statusCode).toBe(404);
  expect((await get("/..%2f..%2fetc%2fpasswd", "*/*")).body).not.toContain("root:");
});

test("an address of the API that is not there is no page", async () => {
  const reply = await get("/staff/v1/nothing");
  expect(reply.statusCode).toBe(404);
  expect(reply.json()).toMatchObject({ problem: "thing.unknown" });
});

test("the players' listener serves none of it", async () => {
  for (const url of ["/assets/main-0a1B2c3D.js", "/approvals", "/staff/v1/me"]) {
    const reply = await venue.app.inject({ url, headers: { accept: "text/html" } });
    expect(reply.body).not.toContain("the console");
    expect(reply.statusCode).toBe(404);
  }
});
