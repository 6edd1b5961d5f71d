import { DESK } from "@longarm/contract/payments";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "../../shared/api.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { runbookPath } from "../../shared/tasks.ts";
import { Facts, Loaded, Note, Part } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import css from "./cashier.module.css";
import type { Payment, PaymentAct } from "./payment-acts.tsx";
import { ACTS, actsOf, WAYS } from "./payment-acts.tsx";

type Whole = AnswerOf<"payment">;

export const PAYMENT_LAMPS = {
  requested: "waiting",
  authorised: "waiting",
  inReview: "reserved",
  approved: "waiting",
  sent: "playing",
  captured: "available",
  paid: "available",
  refused: "off",
  cancelled: "off",
  expired: "off",
  failed: "fault",
  reversed: "fault",
  chargedBack: "fault",
} as const satisfies Record<Payment["state"], string>;

/** Who brought a payment into a state, in words: `player:…`, `staff:…`, `provider:…`, `platform`. */
function useByText(): (by: string) => string {
  const { t } = useText();
  return (by) => {
    const [kind = "", name = ""] = by.split(/:(.*)/s);
    if (kind === "player") return t("cashier.byPlayer");
    if (kind === "staff" || kind === "provider") return name;
    return t("cashier.byPlatform");
  };
}

/** One payment: what it waits for, what to do, its states with their times, and what its provider was called for and said. */
export function PaymentFacts(props: {
  readonly id: string;
  readonly onAct: (payment: Payment, act: PaymentAct) => void;
  readonly onClose: () => void;
}) {
  const payment = useRead("payment", { params: { id: props.id } });
  return <Loaded of={payment}>{(one) => <One one={one} {...props} />}</Loaded>;
}

function One({ one, onAct, onClose }: Omit<Parameters<typeof PaymentFacts>[0], "id"> & { readonly one: Whole }) {
  const { t } = useText();
  const { permissions } = useMe();
  const online = useOnline();
  const when = useWhen();
  const { kind, way, state, waits, reason, owed, moved, approval } = one;
  const name = one.name ?? one.player.username;
  const money = (minor: number) => <Money key={minor} minor={minor} tone="ink" />;
  return (
    <>
      <Facts
        rows={[
          [
            t("cashier.player"),
            permissions.includes("player.see") ? (
              <Link key="player" to={`${paths.players}/${one.player.id}`}>
                {name}
              </Link>
            ) : (
              name
            ),
          ],
          [t("cashier.way"), t(`cashier.${WAYS[kind]}`)],
          [t("cashier.through"), way === DESK ? t("cashier.wayDesk") : <bdi key="way">{way}</bdi>],
          [t("app.amount"), money(one.amount)],
          ...(moved === null || moved === one.amount ? [] : ([[t("cashier.moved"), money(moved)]] as const)),
          ...(owed === 0 ? [] : ([[t("cashier.owed"), money(owed)]] as const)),
          [
            t("cashier.state"),
            <Lamp key="state" status={PAYMENT_LAMPS[state]}>
              {t(`cashier.payment_${state}`)}
            </Lamp>,
          ],
          ...(reason === null ? [] : ([[t("app.reason"), <bdi key="reason">{reason}</bdi>]] as const)),
          ...(one.until === null ? [] : ([[t("cashier.until"), when(one.until)]] as const)),
          [t(way === DESK ? "cashier.id" : "cashier.idThere"), <code key="id">{one.id}</code>],
          ...(one.transfer === null
            ? []
            : ([[t("cashier.transfer"), <code key="transfer">{one.transfer}</code>]] as const)),
        ]}
      />
      {waits !== null && (
        <Note kind={waits === "person" || waits === "silent" ? "bad" : "wait"}>
          <p className={css["need"]}>
            <b>{waits === "person" ? t(`cashier.trouble_${one.trouble ?? "late"}`) : t(`cashier.waits_${waits}`)}</b>
          </p>
          <p>{waits === "person" ? t(`cashier.todo_${one.trouble ?? "late"}`) : t(`cashier.todo_${waits}`)}</p>
          {approval !== null && <Link to={`${paths.approvals}/${approval}`}>{t("cashier.toApproval")}</Link>}
          {(waits === "person" || waits === "silent") && (
            <Link to={runbookPath(waits === "person" ? "paymentTrouble" : "paymentProvider")}>
              {t("cashier.runbook")}
            </Link>
          )}
        </Note>
      )}
      <Steps steps={one.steps} />
      {one.provider !== null && <OfProvider {...one.provider} way={way} />}
      <div className={css["keys"]}>
        <Key kind="bare" onClick={onClose}>
          {t("app.close")}
        </Key>
        {actsOf(one).map((act) => (
          <Key
            key={act}
            kind="line"
            disabled={!online || !permissions.includes(ACTS[act].needs)}
            onClick={() => onAct(one, act)}
          >
            {t(`cashier.${ACTS[act].key}`)}
          </Key>
        ))}
      </div>
    </>
  );
}

function Steps({ steps }: Pick<Whole, "steps">) {
  const { t } = useText();
  const when = useWhen();
  const byText = useByText();
  return (
    <Part title={t("cashier.steps")}>
      <ol className={css["steps"]}>
        {steps.map(({ state, at, by, reason }) => (
          <li key={`${at} ${state}`}>
            <span className="num soft">{when(at)}</span>
            <span>
              {t(`cashier.payment_${state}`)}
              <small>
                <bdi>{byText(by)}</bdi>
                {reason !== null && (
                  <>
                    {" · "}
                    <bdi>{reason}</bdi>
                  </>
                )}
              </small>
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

function OfProvider(calls: NonNullable<Whole["provider"]> & { readonly way: string }) {
  const { t } = useText();
  const when = useWhen();
  const byText = useByText();
  const { wants, looked, lastAnswer } = calls;
  return (
    <Part title={t("cashier.provider")}>
      {!calls.configured && <Note kind="bad">{t("cashier.notConfigured", { way: calls.way })}</Note>}
      <Facts
        rows={[
          [t("cashier.wants"), t(`cashier.wants_${wants ?? "nothing"}`)],
          ...(wants === null
            ? []
            : ([
                [
                  t("cashier.calls"),
                  <span key="calls" className="num">
                    {calls.tries}
                  </span>,
                ],
              ] as const)),
          ...(calls.nextAt === null ? [] : ([[t("cashier.nextCall"), when(calls.nextAt)]] as const)),
          ...(calls.silentSince === null ? [] : ([[t("cashier.silentSince"), when(calls.silentSince)]] as const)),
          ...(lastAnswer === null
            ? []
            : ([
                [
                  t("cashier.lastAnswer"),
                  <bdi key="answer" dir="ltr">
                    {lastAnswer}
                  </bdi>,
                ],
              ] as const)),
          ...(looked === null ? [] : ([[t("cashier.looked"), `${byText(looked.by)}, ${when(looked.at)}`]] as const)),
        ]}
      />
    </Part>
  );
}
