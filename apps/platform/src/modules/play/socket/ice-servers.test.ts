import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { mintIceServers } from "./ice-servers.ts";

test("TURN credentials are those of the TURN REST scheme, good for ten minutes", () => {
  const urls = ["turn:turn.example:3478?transport=udp", "turns:turn.example:5349"];
  const [server] = mintIceServers({ urls, secret: "shared" }, "v_1", 1_000_000_500);
  expect(server).toEqual({
    urls,
    username: "1000600:v_1",
    credential: createHmac("sha1", "shared").update("1000600:v_1").digest("base64"),
  });
});

test("without TURN servers, or without their secret, nothing is minted", () => {
  expect(mintIceServers({ urls: [], secret: "shared" }, "v_1", 0)).toEqual([]);
  expect(mintIceServers({ urls: ["turn:turn.example"], secret: null }, "v_1", 0)).toEqual([]);
});
