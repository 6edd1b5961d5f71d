import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./floor.module.css";

type Row = AnswerOf<"machineQueue">["rows"][number];
const MOVES = ["first", "last", "out"] as const;
type Wanted = { readonly row: Row; readonly to: (typeof MOVES)[number] };

/** Who waits for a machine, in the order of its queue; staff moves a place or ends it, with a reason. */
export function MachineQueue({ id, name }: { readonly id: string; readonly name: string }) {
  const { t } = useText();
  const queue = useRead("machineQueue", { params: { id } });
  const [wanted, setWanted] = useState<Wanted>();
  const rows = queue.data?.rows ?? [];
  // Most venues have no queues, and most machines nothing to say of one.
  if (rows.length === 0 && wanted === undefined) return null;
  return (
    <Panel title={t("floor.queueTitle")} about={t("floor.queueAbout")}>
      <Line rows={rows} move={setWanted} />
      <FormSheet
        open={wanted !== undefined}
        title={wanted ? `${t(`floor.queue_${wanted.to}`)}: ${wanted.row.player.username}` : ""}
        onClose={() => setWanted(undefined)}
      >
        {wanted && <MoveForm machine={{ id, name }} wanted={wanted} close={() => setWanted(undefined)} />}
      </FormSheet>
    </Panel>
  );
}

function Line({ rows, move }: { readonly rows: readonly Row[]; readonly move: (wanted: Wanted) => void }) {
  const { t } = useText();
  const may = useMay("machine.operate");
  const online = useOnline();
  const when = useWhen();
  const stateOf = ({ calledUntil, keptBy, misses, moved }: Row) =>
    [
      calledUntil !== null && t("floor.queueCalled", { time: when(calledUntil) }),
      keptBy !== null && t("floor.queueKept"),
      misses > 0 && t("floor.queueMissed", { count: misses }),
      moved && t("floor.queueMoved"),
    ].filter((text) => text !== false);
  return (
    <Scroller className={css["games"]}>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("floor.player")}</th>
            <th scope="col">{t("floor.queueSince")}</th>
            {may && <th scope="col">{t("floor.queueActs")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.id}>
              <td>
                {row.player.username}
                <br />
                <small className="soft">{stateOf(row).join(", ") || t("floor.queueWaits")}</small>
              </td>
              <td className="num soft">{when(row.joinedAt)}</td>
              {may && (
                <td>
                  {MOVES.filter((to) => to === "out" || rows.length > 1)
                    .filter((to) => !(to === "first" && at === 0) && !(to === "last" && at === rows.length - 1))
                    .map((to) => (
                      <Key
                        key={to}
                        kind="bare"
                        disabled={!online}
                        aria-label={`${t(`floor.queue_${to}`)}: ${row.player.username}`}
                        onClick={() => move({ row, to })}
                      >
                        {t(`floor.queue_${to}`)}
                      </Key>
                    ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function MoveForm({
  machine,
  wanted: { row, to },
  close,
}: {
  readonly machine: { readonly id: string; readonly name: string };
  readonly wanted: Wanted;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  async function send(): Promise<void> {
    const answer = await run("moveInQueue", {
      params: { id: machine.id },
      fields: { place: row.id, to, reason },
      summary: {
        title: t(`floor.queue_${to}`),
        lines: [
          [t("floor.machine"), machine.name],
          [t("floor.player"), row.player.username],
        ],
      },
      reads: ["machineQueue", "machine", "floor"],
      said: t(`floor.queueSaid_${to}`, { name: row.player.username }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t(`floor.queueAbout_${to}`)}</p>
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t(`floor.queue_${to}`)}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
