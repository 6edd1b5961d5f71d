import { afterEach, expect, test, vi } from "vitest";
import { findVenue } from "./venue.ts";

afterEach(() => void vi.restoreAllMocks());

const withSettings = (settings: object): void =>
  void vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(settings));

test("a venue is secret over TLS and on this computer, and an encrypted page may not lead to unencrypted addresses", async () => {
  withSettings({ apiUrl: "/" });
  expect(await findVenue("https://floor.example")).toMatchObject({ secret: true, loopback: false });
  expect(await findVenue("http://127.0.0.1:8080")).toMatchObject({ secret: true, loopback: true });
  expect(await findVenue("http://floor.example")).toMatchObject({ secret: false, api: "http://floor.example/" });
  const moved = Response.json({ apiUrl: "/" });
  Object.defineProperties(moved, {
    redirected: { value: true },
    url: { value: "https://floor.example/Settings.json" },
  });
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(moved);
  expect(await findVenue("http://floor.example")).toMatchObject({ href: "https://floor.example/", secret: true });
  for (const settings of [
    { apiUrl: "http://floor.example/api" },
    { apiUrl: "/", gameUrl: "ws://floor.example/game" },
  ]) {
    withSettings(settings);
    await expect(findVenue("https://floor.example")).rejects.toThrow(
      /is encrypted, but its Settings\.json sends people/,
    );
  }
});
