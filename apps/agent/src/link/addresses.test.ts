import { expect, test } from "vitest";
import { createAddresses } from "./addresses.ts";

test("a dial begins behind the address that was lost, and tries every one once", async () => {
  const addresses = createAddresses(["a", "b", "c"]);
  const tried: string[] = [];
  const dial = (...up: string[]) =>
    addresses.open(async (url) => {
      tried.push(url);
      if (!up.includes(url)) throw new Error(`${url} is away`);
      return url;
    });
  expect(addresses.current()).toBe("a");
  expect(await dial("a", "b", "c")).toBe("a");
  expect(await dial("a", "c")).toBe("c");
  expect(addresses.current()).toBe("c");
  await expect(dial()).rejects.toThrow("c is away");
  expect(addresses.current()).toBe("c");
  expect(tried).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("one address is dialled again and again", async () => {
  const addresses = createAddresses(["a"]);
  expect([await addresses.open(async (url) => url), await addresses.open(async (url) => url)]).toEqual(["a", "a"]);
});
