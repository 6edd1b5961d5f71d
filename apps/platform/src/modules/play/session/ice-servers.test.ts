import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { mintIceServers } from "./init.ts";

const urls = ["turn:turn.example:3478?transport=udp", "turns:turn.example:5349"];

test("TURN credentials are those of the TURN REST scheme, good for ten minutes", () => {
  const [server] = mintIceServers({ urls, secret: "shared" }, "p_1", 1_000_000_500);
  const username = expect.stringMatching(/^1000600:[0-9a-f]{24}$/);
  expect(server).toEqual({ urls, username, credential: expect.any(String) });
  expect(server?.credential).toBe(createHmac("sha1", "shared").update(`${server?.username}`).digest("base64"));
});

test("an account has one name at a TURN server, whatever the time, which does not tell whose it is", () => {
  const nameOf = (playerId: string, nowMs: number, secret = "shared") =>
    mintIceServers({ urls, secret }, playerId, nowMs)[0]?.username?.split(":")[1];
  expect(nameOf("p_1", 0)).toBe(nameOf("p_1", 9_000_000));
  const names = [nameOf("p_1", 0), nameOf("p_2", 0), nameOf("p_1", 0, "another")];
  expect(new Set(names).size).toBe(3);
  expect(names.join()).not.toContain("p_");
});

test("without TURN servers, or without their secret, nothing is minted", () => {
  expect(mintIceServers({ urls: [], secret: "shared" }, "p_1", 0)).toEqual([]);
  expect(mintIceServers({ urls: ["turn:turn.example"], secret: null }, "p_1", 0)).toEqual([]);
});
