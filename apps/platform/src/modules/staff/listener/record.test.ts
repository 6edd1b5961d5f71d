import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";

/* What staff reads of a player's record is what the player reads. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
let selin: Member;
let tekin: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  selin = await staffMember(staff, "selin", ["cashier"]);
  tekin = await staffMember(staff, "tekin", ["technician"]);
}

test("statement and last games are those of the player's page, for who may see players", async () => {
  const { machine, agent } = await venue.machine("nar-20");
  const player = await venue.player("seen.by.staff", 10_000);
  const page = await venue.page(player.token, "nar-20");
  await page.init();
  await page.peer.request("cashIn", { id: "staff-record-1", amount: 5_000 });
  machine.play(350);
  await agent.pump();
  for (const path of ["statement", "games"]) {
    const { asOf: _, ...own } = (await venue.get(`/v1/player/${path}`, player.token)).json() as Record<string, unknown>;
    const { asOf: __, ...shown } = (await selin.get(`players/${player.id}/${path}`)).body;
    expect(shown).toEqual(own);
    expect((await tekin.get(`players/${player.id}/${path}`)).body).toMatchObject({ problem: "permission.missing" });
    expect((await selin.get(`players/p_unknown/${path}`)).body).toMatchObject({ problem: "thing.unknown" });
  }
  const games = (await selin.get(`players/${player.id}/games`)).body["games"];
  expect(games).toMatchObject([{ id: "1.nar-20", before: 5_000, stake: 100, win: 350, after: 5_250 }]);
  for (const query of ["year=1", "year=x", "player=other"])
    expect((await selin.get(`players/${player.id}/statement?${query}`)).body).toMatchObject({
      problem: "request.invalid",
    });
});
