import { afterAll, describe, expect, test } from "vitest";
import { tryWallet, WALLET_SCENARIOS } from "../../rig/simulated-wallet/scenarios.ts";
import { serveSimulatedWallet } from "../../rig/simulated-wallet/server.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";

const SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const closing: (() => Promise<void>)[] = [];
afterAll(async () => void (await Promise.all(closing.map((close) => close()))));

/** Tries a wallet with the ten scenarios; answers the names of those that it fails. */
async function failed(wallet: SimulatedWallet): Promise<string[]> {
  wallet.setBalance("p_1", 5_000);
  const server = await serveSimulatedWallet({ wallet, secret: SECRET });
  closing.push(server.close);
  const found = await tryWallet({ url: server.url, secret: SECRET, player: "p_1", currency: "TRY" });
  expect(found.map(({ name }) => name)).toEqual(WALLET_SCENARIOS.map(({ name }) => name));
  return found.filter(({ wrong }) => wrong !== undefined).map(({ name }) => name);
}

test("the simulated wallet does what the ten scenarios want", async () => {
  expect(await failed(new SimulatedWallet())).toEqual([]);
});

describe("a wallet with a fault is found", () => {
  const seen = new Set<number>();
  const next = (): number => seen.add(seen.size).size;
  test.each<[string, (call: string, given: { id?: string; amount?: number }) => object, RegExp]>([
    ["that forgets ids", (_call, given) => ({ ...given, ...(given.id && { id: `${given.id}-${next()}` }) }), /repeat/],
    ["that does not keep the content of an id", (_call, given) => ({ ...given, amount: 100 }), /409/],
    [
      "that does not keep an undo",
      (call, given) => (call === "undo" ? { ...given, id: `u-${given.id}` } : given),
      /before its debit/,
    ],
  ])("%s", async (_name, change, expected) => {
    class Faulty extends SimulatedWallet {
      override take(call: string, given: unknown) {
        return super.take(call, change(call, given as { id?: string }));
      }
    }
    expect((await failed(new Faulty())).join("; ")).toMatch(expected);
  });

  test("that does not answer", async () => {
    const found = await tryWallet({ url: "http://127.0.0.1:9/", secret: SECRET, player: "p_1", currency: "TRY" });
    expect(found.every(({ wrong }) => wrong !== undefined)).toBe(true);
  });
});
