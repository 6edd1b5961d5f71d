import { expect, test } from "vitest";
import { createStorage, STORAGE_KEYS } from "./storage.ts";

test("R-4.2-08: the token stands under the key that the specification names", () => {
  localStorage.clear();
  createStorage(() => localStorage).write(STORAGE_KEYS.token, "abc");
  expect(localStorage.getItem("jwt_access_token")).toBe("abc");
});

test("a browser that forbids storage keeps texts until the page is left", () => {
  const storage = createStorage(() => {
    throw new DOMException("denied", "SecurityError");
  });
  storage.write(STORAGE_KEYS.language, "en");
  expect(storage.read(STORAGE_KEYS.language)).toBe("en");
  storage.remove(STORAGE_KEYS.language);
  expect(storage.read(STORAGE_KEYS.language)).toBeNull();
});

test("a full storage loses nothing of this visit", () => {
  const full = {
    ...localStorage,
    getItem: () => null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const storage = createStorage(() => full as unknown as globalThis.Storage);
  storage.write(STORAGE_KEYS.volume, "0.5");
  expect(storage.read(STORAGE_KEYS.volume)).toBe("0.5");
});

test("what another tab takes away is gone here too, and comes back with it", () => {
  localStorage.clear();
  const storage = createStorage(() => localStorage);
  storage.write(STORAGE_KEYS.token, "abc");
  localStorage.removeItem("jwt_access_token");
  expect(storage.read(STORAGE_KEYS.token)).toBeNull();
  localStorage.setItem("jwt_access_token", "other");
  expect(storage.read(STORAGE_KEYS.token)).toBe("other");
});
