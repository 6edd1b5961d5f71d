import { defaultSettings } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import { addressesOf, socketAt } from "./addresses.ts";

const page = new URL("https://casino.test/lobby");

test("by default everything is on the page's own origin", () => {
  const addresses = addressesOf(defaultSettings(), page);
  expect(addresses.api.href).toBe("https://casino.test/v1/");
  expect(addresses.notifications.href).toBe("wss://casino.test/notifications");
  expect(addresses.game("m 1").href).toBe("wss://casino.test/game?machine=m+1");
});

test("R-9-44, R-9-45: settings move the API and both sockets; a slash is added", () => {
  const moved = {
    ...defaultSettings(),
    apiUrl: "http://api.test:81/v2",
    notificationUrl: "ws://push.test/n",
    gameUrl: "https://play.test/g?x=1",
  };
  const addresses = addressesOf(moved, page);
  expect(addresses.api.href).toBe("http://api.test:81/v2/");
  expect(addresses.notifications.href).toBe("ws://push.test/n");
  expect(addresses.game("7").href).toBe("wss://play.test/g?x=1&machine=7");
});

test("sockets follow the API's origin when they are not named, and a machine's own address wins", () => {
  const addresses = addressesOf({ ...defaultSettings(), apiUrl: "http://api.test/v1" }, page);
  expect(addresses.notifications.href).toBe("ws://api.test/notifications");
  expect(addresses.game("7", "wss://venue.test/one").href).toBe("wss://venue.test/one?machine=7");
});

test("the token goes into a copy", () => {
  const { notifications } = addressesOf(defaultSettings(), page);
  expect(socketAt(notifications, "a+b", { socketTokenInAddress: true })).toEqual({
    url: "wss://casino.test/notifications?token=a%2Bb",
  });
  expect(socketAt(notifications, "a.b", { socketTokenInAddress: false })).toEqual({
    url: "wss://casino.test/notifications",
    token: "a.b",
  });
  expect(notifications.search).toBe("");
});

test.each([
  ["player/password", "https://casino.test/v1/player/password"],
  ["/account/new-password", "https://casino.test/v1/account/new-password"],
  ["https://id.test/password", "https://id.test/password"],
  ["", "https://casino.test/v1/player/password"],
  ["http://[", "https://casino.test/v1/player/password"],
])("D-29: a new password with the setting %j goes to %s", (passwordPath, address) => {
  expect(addressesOf({ ...defaultSettings(), passwordPath }, page).password.href).toBe(address);
});

test("D-33: the listings come from the paths of the settings", () => {
  const settings = { ...defaultSettings(), sessionsPath: "/history/plays", transactionsPath: "" };
  const { sessions, transactions } = addressesOf(settings, page);
  expect(sessions.href).toBe("https://casino.test/v1/history/plays");
  expect(transactions.href).toBe("https://casino.test/v1/player/transactions");
});
