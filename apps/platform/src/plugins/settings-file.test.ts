import { parseSettings } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import { contentPolicy } from "./headers.ts";
import { contentHosts } from "./settings-file.ts";

const hostsOf = (given: object) => contentHosts(parseSettings(given).settings);

test("the defaults name nobody", () => {
  expect(hostsOf({})).toEqual({ connect: [], script: [], style: [], font: [], image: [], frame: [] });
});

test("an API and sockets elsewhere are let in where they are needed", () => {
  const hosts = hostsOf({ apiUrl: "https://api.example.net:8443/v1/", gameUrl: "https://game.example.net/game" });
  expect(hosts.connect).toEqual(["https://api.example.net:8443", "wss://game.example.net"]);
  expect(hosts.image).toEqual(["https://api.example.net:8443"]);
  expect(hosts.script).toEqual([]);
});

test("a call that the settings send elsewhere is let in, one below the API base adds nobody", () => {
  const hosts = hostsOf({ passwordPath: "https://id.example.net/password", sessionsPath: "/history/plays" });
  expect(hosts.connect).toEqual(["https://id.example.net"]);
  expect(hosts.image).toEqual([]);
});

test("a chat without an id, or none, brings no hosts", () => {
  expect(hostsOf({ chat: { provider: "tawk", id: "", fallbackScript: "" } }).script).toEqual([]);
  expect(hostsOf({ chat: { provider: "jivo", id: "x", fallbackScript: "" } }).script).toContain(
    "https://*.jivosite.com",
  );
});

test("R-1-21: only the chosen provider's hosts are let in, its fallback beside it, and inline style for its widget alone", () => {
  const id = "0123456789abcdef01234567/default";
  const fallbackScript = "https://help.example.net/chat.js";
  const tawk = hostsOf({ chat: { provider: "tawk", id, fallbackScript } });
  expect(tawk.script).toEqual(["https://*.tawk.to", "https://help.example.net"]);
  expect(tawk.style).toContain("'unsafe-inline'");
  expect(JSON.stringify(tawk)).not.toContain("jivo");
  expect(tawk.script).not.toContain("'unsafe-inline'");
  const off = { connect: [], script: [], style: [], font: [], image: [], frame: [] };
  expect(hostsOf({ chat: { provider: "none", id, fallbackScript } })).toEqual(off);
  expect(hostsOf({ chat: { provider: "nobody", id, fallbackScript } })).toEqual(off);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "https://evil.example; script-src *",
  "https://a b",
  "//evil.example",
  "https://'unsafe-inline'/",
  "http://user:pass@host name/",
])("the address %j cannot write into the policy", (apiUrl) => {
  const policy = contentPolicy({
    host: "127.0.0.1:8080",
    https: false,
    hosts: hostsOf({ apiUrl, chat: { provider: "jivo", id: apiUrl, fallbackScript: apiUrl } }),
    framedBySelf: false,
  });
  expect(policy.replace("style-src 'self' 'unsafe-inline'", "")).not.toMatch(
    /unsafe|javascript:|text\/html|script-src \*/,
  );
  expect(policy.split(";")).toHaveLength(13);
});
