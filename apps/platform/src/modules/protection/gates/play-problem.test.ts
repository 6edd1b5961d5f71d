import { describe, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { decideIdentity } from "../identity/index.ts";
import { answerOffer } from "../limits/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { moneyProblem, playProblem } from "./index.ts";

/* The gates before a seat and before money, in their order. */

const venue = sharePlayVenue();
let players = 0;

async function newPlayer(market: "ca-on" | "none") {
  players += 1;
  const { id } = await venue.player(`gated${players}`);
  await chooseMarket(venue.db.withTables(), { scope: "player", subject: id, market, by: "eva", reason: "lives there" });
  return id;
}

describe("help before play (AGCO 2.10)", () => {
  test("closes play while no organisation is listed, and nothing else", async () => {
    const playerId = await newPlayer("ca-on");
    await decideIdentity(venue.db, { playerId, state: "verified", validUntil: null, by: "eva", reason: "seen" });
    await answerOffer(venue.db, playerId, "notNow");
    const wanted = { playerId, machineId: "nar-01", gate: "sit" } as const;
    expect(await playProblem(venue.db, { ...wanted, helpListed: false })).toEqual({ name: "help.missing" });
    expect(await playProblem(venue.db, { ...wanted, helpListed: true })).toBeNull();
    expect(await moneyProblem(venue.db, playerId, "withdrawal")).toBeNull();
  });

  test("is not demanded without a market", async () => {
    const playerId = await newPlayer("none");
    expect(await playProblem(venue.db, { playerId, machineId: "nar-01", gate: "sit", helpListed: false })).toBeNull();
  });
});

test("a machine's own market counts for who plays there", async () => {
  const playerId = await newPlayer("none");
  await venue.machine("strict-01");
  const strict = {
    scope: "machine",
    subject: "strict-01",
    market: "ca-on",
    by: "eva",
    reason: "hall of Ontario",
  } as const;
  await chooseMarket(venue.db.withTables(), strict);
  const at = (machineId: string) => playProblem(venue.db, { playerId, machineId, gate: "sit", helpListed: true });
  expect(await at("strict-01")).toEqual({ name: "identity.required" });
  expect(await at("nar-01")).toBeNull();
});
