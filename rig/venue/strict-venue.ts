import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credentials } from "../player.ts";
import { longarm } from "./staff.ts";
import type { TestVenue, TestVenueOptions } from "./test-venue.ts";
import { openTestVenue } from "./test-venue.ts";

/** A national register, as Spelpaus describes its own: it knows no one, and may fall silent. */
export type FakeRegister = { readonly url: string; setSilent(isSilent: boolean): void; close(): void };

async function openRegister(): Promise<FakeRegister> {
  let silent = false;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (silent) return response.destroy();
      const { requestId } = JSON.parse(Buffer.concat(parts).toString());
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ isBlocked: false, requestId, responseId: "rs-1" }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setSilent(isSilent) {
      silent = isSilent;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A venue that can keep every rule of the market `lab`: with a register, and with listed help. */
export type StrictVenue = { readonly venue: TestVenue; readonly register: FakeRegister; close(): Promise<void> };

export async function openStrictVenue(options: TestVenueOptions): Promise<StrictVenue> {
  const register = await openRegister();
  const folder = await mkdtemp(join(tmpdir(), "longarm-strict-"));
  const settings = join(folder, "Settings.json");
  const helpList = [{ name: "Stödlinjen", phone: "020-81 91 00" }];
  await writeFile(settings, JSON.stringify({ framesPerSecond: 5, helpList }));
  async function closeRest(): Promise<void> {
    register.close();
    await rm(folder, { recursive: true });
  }
  const venue = await openTestVenue({
    ...options,
    platformEnv: {
      // Grants are renewed each two seconds, and no player is disconnected while a busy computer is slow.
      ...{ SEAT_LEASE_MS: "6000", IDLE_MS: "3600000", WAITING_MS: "3600000", NO_DEPOSIT_MS: "3600000" },
      ...{ SPELPAUS_ACTOR: "4711", SPELPAUS_KEY: "secret", SPELPAUS_URL: register.url, SETTINGS_FILE: settings },
      ...options.platformEnv,
    },
  }).catch(async (error: unknown) => {
    await closeRest();
    throw error;
  });
  return {
    ...{ venue, register },
    async close() {
      await venue.close();
      await closeRest();
    },
  };
}

/** A person whom staff has verified by a passport. */
export async function verify(venue: TestVenue, { username }: Credentials, birthDate: string, personalNumber: string) {
  const person = ["--birth-date", birthDate, "--personal-number", personalNumber, "--country", "SE"];
  const shown = ["--document", "passport", "--reason", "seen"];
  await longarm(venue, "identity", "decide", username, "verified", ...person, ...shown);
}

/** The limits of loss that the market `lab` wants before play, as the player's own. */
export async function limitLosses(venue: TestVenue, { username }: Credentials): Promise<void> {
  const limits = "loss.day=900.00 loss.week=900.00 loss.month=900.00";
  await longarm(venue, "players", "limits", username, "--for", "player", "--limit", limits);
}
