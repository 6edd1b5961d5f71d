import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./alerts.module.css";
import { DELIVERY_LAMPS, DeliverySheet } from "./delivery-sheet.tsx";

type Which = "all" | "waiting" | "dead";
type Delivery = AnswerOf<"deliveries">["rows"][number];
/** Reports to the operator's receiver, and e-mail: what waits, what arrived and what was given up, which a person reads, sends again or drops. */
export function DeliveriesPanel() {
  const { t } = useText();
  const online = useOnline();
  const mayChange = useMay("settings.change");
  const [which, setWhich] = useState<Which>("all");
  const [after, setAfter] = useState<readonly string[]>([]);
  const [opened, open] = useState<Delivery | null>(null);
  const [isSendingAll, sendAll] = useState(false);
  const place = after.at(-1);
  const deliveries = useRead("deliveries", { query: { state: which, ...(place !== undefined && { after: place }) } });
  const { busy, run } = useAct();
  const { waiting = 0, dead = 0, deadSince = null, configured = false } = deliveries.data ?? {};
  const when = useWhen();
  const about = [
    ...(waiting > 0 ? [t("alerts.waiting", { count: waiting })] : []),
    ...(deadSince === null
      ? []
      : [t("alerts.deadSince", { dead: t("alerts.dead", { count: dead }), time: when(deadSince) })]),
  ].join(" · ");
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
          {mayChange && dead > 1 && (
            <Key kind="line" disabled={!online} onClick={() => sendAll(true)}>
              {t("alerts.resendAll")}
            </Key>
          )}
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
              resend={(id) =>
                void run("resendDelivery", { ...act, params: { id }, fields: {}, said: t("alerts.resent") })
              }
              open={open}
            />
          )
        }
      </Loaded>
      <DeliverySheet id={opened?.id ?? null} mayChange={mayChange} onClose={() => open(null)} />
      <FormSheet open={isSendingAll} title={t("alerts.resendAllTitle")} onClose={() => sendAll(false)}>
        <SendAll dead={dead} onClose={() => sendAll(false)} />
      </FormSheet>
    </Panel>
  );
}

function SendAll({ dead, onClose }: { readonly dead: number; readonly onClose: () => void }) {
  const { t } = useText();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  async function send(): Promise<void> {
    const answer = await run("resendDeliveries", {
      fields: {},
      summary: { title: "", lines: [] },
      reads: ["deliveries", "delivery", "tasks"],
    });
    if (answer?.is === "done") messages.say("good", t("alerts.resentAll", { count: answer.result.sent }));
    if (answer !== undefined) onClose();
  }
  return (
    <>
      <p className="soft">{t("alerts.resendAllAbout", { count: dead })}</p>
      <ActKeys send={t("alerts.resendAll")} busy={busy} onSend={() => void send()} onCancel={onClose} />
    </>
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
  readonly open: (delivery: Delivery) => void;
}) {
  const { t } = useText();
  const when = useWhen();
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
              <span className="visually-hidden">{t("alerts.open")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.id}>
              <td>
                <span className={css["report"]}>
                  <Lamp status={DELIVERY_LAMPS[row.state]}>{t(`alerts.state_${row.state}`)}</Lamp>
                  <code className="ltr">{row.type}</code> <span className="ltr soft">{row.subject}</span>
                  {row.channel === "mail" && <Tag>{t("alerts.channel_mail")}</Tag>}
                </span>
              </td>
              <td className="num">{when(row.madeAt)}</td>
              <td className={css["answer"]}>
                <span className="ltr">{row.lastAnswer}</span>{" "}
                <small className="fine">{t("alerts.attempts", { count: row.attempts })}</small>
              </td>
              <td className={`num ${css["answer"]}`}>
                {row.triedAt !== null && when(row.triedAt)}
                {row.dueAt !== null && row.attempts > 0 && (
                  <small className="fine">{t("alerts.next", { time: when(row.dueAt) })}</small>
                )}
              </td>
              <td>
                <span className={css["keys"]}>
                  {row.state === "dead" && props.mayChange && (
                    <Key kind="line" onClick={() => props.resend(row.id)}>
                      {t("alerts.resend")}
                    </Key>
                  )}
                  <Key
                    kind="bare"
                    aria-label={t("alerts.openOf", { type: row.type, subject: row.subject })}
                    onClick={() => props.open(row)}
                  >
                    {t("alerts.open")}
                  </Key>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
