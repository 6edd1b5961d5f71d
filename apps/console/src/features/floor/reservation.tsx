import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { useDeferredValue, useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";

type Chosen = AnswerOf<"players">["rows"][number]["player"];
const READS = ["machine", "floor", "machineEvents"] as const;

/** Keeps a machine for one player, or ends that. */
export function Reservation({ machine }: { readonly machine: FloorMachine }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const mayFind = useMay("player.find");
  const { busy, run } = useAct();
  const [open, setOpen] = useState(false);
  const { reservedFor, reservedUntil } = machine;
  const endNow = () =>
    run("endReservation", {
      params: { id: machine.id },
      fields: {},
      summary: { title: t("floor.endReservation"), lines: [[t("floor.machine"), machine.name]] },
      reads: READS,
      said: t("floor.reservationEnded"),
    });
  if (reservedFor !== null)
    return (
      <div>
        <p className="soft">
          {t("floor.reservedFor", { name: reservedFor.username })}
          {reservedUntil !== null &&
            ` ${t("floor.reservedUntil", { time: whenText(reservedUntil, clock.now(), venue.timeZone, language) })}`}
        </p>
        <Key kind="line" busy={busy} disabled={!online} onClick={() => void endNow()}>
          {t("floor.endReservation")}
        </Key>
      </div>
    );
  if (!mayFind || machine.mode !== "open") return null;
  return (
    <>
      <Key kind="line" disabled={!online} onClick={() => setOpen(true)}>
        {t("floor.reserve")}
      </Key>
      <FormSheet open={open} title={`${t("floor.reserve")}: ${machine.name}`} onClose={() => setOpen(false)}>
        <ReserveForm machine={machine} close={() => setOpen(false)} />
      </FormSheet>
    </>
  );
}

const MINUTES = ["15", "30", "60", "120", "240"] as const;
type Minutes = (typeof MINUTES)[number];

function ReserveForm({ machine, close }: { readonly machine: FloorMachine; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [player, setPlayer] = useState<Chosen>();
  const [minutes, setMinutes] = useState<Minutes>("30");
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  async function send(): Promise<void> {
    const answer = await run("reserve", {
      params: { id: machine.id },
      fields: { player: player?.id ?? "", minutes: Number(minutes), reason },
      summary: { title: t("floor.reserve"), lines: [[t("floor.machine"), machine.name]] },
      reads: READS,
      said: t("floor.reservedSaid", { name: player?.username ?? "" }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("floor.reserveAbout")}</p>
      {player === undefined ? (
        <PlayerChoice choose={setPlayer} />
      ) : (
        <p>
          {t("floor.player")}: <b>{player.username}</b>{" "}
          <Key kind="bare" onClick={() => setPlayer(undefined)}>
            {t("floor.otherPlayer")}
          </Key>
        </p>
      )}
      <SelectField<Minutes>
        label={t("floor.reserveFor")}
        value={minutes}
        onChange={setMinutes}
        choices={MINUTES.map((value) => [value, t("floor.minutes", { count: Number(value) })])}
      />
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t("floor.reserve")}
        busy={busy}
        disabled={player === undefined || reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

const FOUND_MAX = 5;

function PlayerChoice({ choose }: { readonly choose: (player: Chosen) => void }) {
  const { t } = useText();
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim());
  const players = useRead("players", { query: { search, limit: FOUND_MAX } });
  return (
    <>
      <SearchField
        label={t("floor.findPlayer")}
        clearLabel={t("app.clear")}
        value={text}
        maxLength={100}
        onText={setText}
        onClear={() => setText("")}
      />
      <Loaded of={players}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="search" title={t("floor.noSuchPlayer")} />
          ) : (
            <ul className={css["choices"]}>
              {rows.map(({ player, name }) => (
                <li key={player.id}>
                  <Key kind="line" onClick={() => choose(player)}>
                    {name === null ? player.username : `${name}, ${player.username}`}
                  </Key>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
