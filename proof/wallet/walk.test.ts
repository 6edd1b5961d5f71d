import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { sharePlayVenue } from "@longarm/platform/testing/play-venue";
import { PASSWORD } from "@longarm/platform/testing/test-venue";
import { afterAll, expect, test } from "vitest";
import { shellSnippets, shellWith } from "../../rig/shell.ts";
import { serveSimulatedWallet } from "../../rig/simulated-wallet/server.ts";
import { SimulatedWallet } from "../../rig/simulated-wallet/wallet.ts";

/* The walk of docs/operating/remote-wallet.md, as it is written there, with curl and openssl. */

const run = promisify(execFile);
const PAGE = new URL("../../docs/operating/remote-wallet.md", import.meta.url);
const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const wallet = new SimulatedWallet();
const server = await serveSimulatedWallet({ wallet, secret: SECRET });
const venue = sharePlayVenue({ env: { WALLET_URL: server.url, WALLET_SECRETS: SECRET } });
afterAll(() => server.close());

test("an operator connects a wallet with curl alone", async () => {
  const player = await venue.player("walks");
  wallet.setBalance(player.id, 5_000);
  const snippets = shellSnippets(await readFile(PAGE, "utf8"));
  expect(snippets).toHaveLength(3);
  const { stdout } = await run("sh", ["-euc", snippets.join("\n")], {
    env: {
      ...(await shellWith("curl", "openssl")),
      ...{ WALLET: server.url, WALLET_SECRET: SECRET, PLAYER: player.id },
      ...{ LONGARM: venue.url.replace("ws", "http"), USERNAME: "walks", PASSWORD },
    },
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toMatchObject([
    { balance: 5_000 },
    { is: "done", balance: 4_000 },
    { is: "done", balance: 4_000 },
    { is: "done", balance: 5_000 },
    { is: "done", balance: 5_000 },
    { is: "refused", reason: "notNow" },
    {},
    { balance: 5_000 },
  ]);
});
