import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./alerts.module.css";

type Which = "all" | "waiting" | "dead";
type Delivery = AnswerOf<"deliveries">["rows"][number];
const LAMPS = { waiting: "waiting", done: "available", dead: "fault", dropped: "off" } as const satisfies Record<
  Delivery["state"],
  string
>;

/** Reports to the operator's receiver: what waits, what arrived and what was given up, which a person sends again or drops. */
export function DeliveriesPanel() {
  const { t } = useText();
  const online = useOnline();
  const mayChange = useMay("settings.change");
  const [which, setWhich] = useState<Which>("all");
  const [after, setAfter] = useState<readonly string[]>([]);
  const [dropping, drop] = useState<string | null>(null);
  const place = after.at(-1);
  const deliveries = useRead("deliveries", { query: { state: which, ...(place !== undefined && { after: place }) } });
  const { busy, run } = useAct();
  const { waiting = 0, dead = 0, configured = false } = deliveries.data ?? {};
  const about = [
    ...(waiting > 0 ? [t("alerts.waiting", { count: waiting })] : []),
    ...(dead > 0 ? [t("alerts.dead", { count: dead })] : []),
  ].join(", ");
  const act = { summary: { title: "", lines: [] }, reads: ["deliveries", "tasks"] } as const;
  return (
    <Panel
      title={t("alerts.webhook")}
      about={about === "" ? t("alerts.webhookAbout") : about}
      tools={
        <>
          <Segment<Which>
            label={t("alerts.which")}
            value={which}
            onChange={(next) => {
              setWhich(next);
              setAfter([]);
            }}
            options={[
              { value: "all", label: t("alerts.all") },
              { value: "waiting", label: t("alerts.state_waiting") },
              { value: "dead", label: t("alerts.state_dead") },
            ]}
          />
          {mayChange && configured && (
            <Key
              kind="line"
              busy={busy}
              disabled={!online}
              onClick={() => void run("testWebhook", { ...act, fields: {}, said: t("alerts.testSent") })}
            >
              {t("alerts.test")}
            </Key>
          )}
        </>
      }
      foot={
        (place !== undefined || deliveries.data?.next) && (
          <span className={css["pages"]}>
            <Key kind="bare" disabled={place === undefined} onClick={() => setAfter(after.slice(0, -1))}>
              {t("app.newer")}
            </Key>
            <Key
              kind="bare"
              disabled={!deliveries.data?.next}
              onClick={() => deliveries.data?.next && setAfter([...after, deliveries.data.next])}
            >
              {t("app.older")}
            </Key>
          </span>
        )
      }
    >
      <Loaded of={deliveries}>
        {({ rows }) =>
          rows.length === 0 ? (
            <NoDeliveries configured={configured} />
          ) : (
            <Rows
              rows={rows}
              mayChange={mayChange && online}
              resend={(id) => void run("resendDelivery", { ...act, params: { id }, fields: {} })}
              drop={drop}
            />
          )
        }
      </Loaded>
      <FormSheet open={dropping !== null} title={t("alerts.dropTitle")} onClose={() => drop(null)}>
        {dropping !== null && <Drop id={dropping} onClose={() => drop(null)} />}
      </FormSheet>
    </Panel>
  );
}

function NoDeliveries({ configured }: { readonly configured: boolean }) {
  const { t } = useText();
  return configured ? (
    <Empty title={t("alerts.noneOfThese")} body={t("alerts.noneAbout")} />
  ) : (
    <Empty icon="info" title={t("alerts.notConfigured")} body={t("alerts.notConfiguredAbout")} />
  );
}

function Rows(props: {
  readonly rows: readonly Delivery[];
  readonly mayChange: boolean;
  readonly resend: (id: string) => void;
  readonly drop: (id: string) => void;
}) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const when = (at: string) => whenText(at, clock.now(), venue.timeZone, language);
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("alerts.fact")}</th>
            <th scope="col">{t("alerts.made")}</th>
            <th scope="col">{t("alerts.answer")}</th>
            <th scope="col">{t("alerts.tried")}</th>
            <th scope="col">
              <span className="visually-hidden">{t("alerts.resend")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Lamp status={LAMPS[row.state]}>{t(`alerts.state_${row.state}`)}</Lamp>{" "}
                <code className="ltr">{row.type}</code> <span className="ltr soft">{row.subject}</span>
              </td>
              <td className="num">{when(row.madeAt)}</td>
              <td>
                <span className="ltr">{row.lastAnswer}</span>{" "}
                <span className="fine">{t("alerts.attempts", { count: row.attempts })}</span>
              </td>
              <td className="num">
                {row.triedAt !== null && when(row.triedAt)}
                {row.dueAt !== null && row.attempts > 0 && (
                  <small className="fine"> {t("alerts.next", { time: when(row.dueAt) })}</small>
                )}
              </td>
              <td>
                {row.state === "dead" && props.mayChange && (
                  <span className={css["pages"]}>
                    <Key kind="line" onClick={() => props.resend(row.id)}>
                      {t("alerts.resend")}
                    </Key>
                    <Key kind="bare" onClick={() => props.drop(row.id)}>
                      {t("alerts.drop")}
                    </Key>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function Drop({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useText();
  const [reason, setReason] = useState("");
  const { busy, run } = useAct();
  async function send(): Promise<void> {
    const done = await run("dropDelivery", {
      params: { id },
      fields: { reason: reasonOf(reason) },
      summary: { title: "", lines: [] },
      reads: ["deliveries", "tasks"],
    });
    if (done !== undefined) onClose();
  }
  return (
    <>
      <p className="soft">{t("alerts.dropAbout")}</p>
      <ReasonField value={reason} onText={setReason} />
      <ActKeys
        danger
        send={t("alerts.drop")}
        busy={busy}
        disabled={reasonOf(reason) === ""}
        onSend={() => void send()}
        onCancel={onClose}
      />
    </>
  );
}
