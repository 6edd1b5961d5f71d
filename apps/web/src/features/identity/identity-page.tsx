import type { IdentityAnswer, IdentityGate } from "@longarm/contract/player-identity";
import { identityCalls } from "@longarm/contract/player-identity";
import type { Language } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { dateTimeText, timeFormat } from "@longarm/ui/time/time-text.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId } from "react";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./identity.module.css";

/** What staff decides at the desk shows here without a reload, ms. */
const AGAIN_MS = 15_000;

export type IdentityPageProps = {
  readonly api: Pick<ApiClient, "make">;
  /** The player's own name; empty: not known. */
  readonly name: string;
  /** Ways to write to the casino. */
  readonly contacts: ReactNode;
};

/** Who the player is, for the casino: what is proved, what is missing, what it keeps closed. A platform without it answers 404. */
export function IdentityPage({ api, name, contacts }: IdentityPageProps) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch } = useQuery({
    queryKey: ["identity"],
    queryFn: async ({ signal }) => {
      const answer = await api.make(identityCalls.identity, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
    refetchInterval: AGAIN_MS,
  });
  if (data === "absent")
    return (
      <div role="status">
        <Notice title={t("identity.absent")} body={t("identity.absentBody")} />
      </div>
    );
  if (data !== undefined) return <Known known={data} name={name} contacts={contacts} />;
  if (error === null) return <p role="status">{t("identity.loading")}</p>;
  const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
  return (
    <div role="alert">
      <Notice title={t("identity.failed")} body={reason}>
        <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

function Known({
  known,
  name,
  contacts,
}: { readonly known: IdentityAnswer } & Pick<IdentityPageProps, "name" | "contacts">) {
  const { t } = useText();
  const isOver = known.state === "refused" || known.tooYoung;
  return (
    <div className={css["identity"]}>
      <Block title={t("identity.steps")}>
        <ol className={css["stairs"]}>
          <NameStep known={known} name={name} />
          <DocumentStep known={known} />
        </ol>
        {isOver && <div className={css["contacts"]}>{contacts}</div>}
      </Block>
      <div>
        <Block title={t(known.closed.length === 0 ? "identity.open" : "identity.untilThen")}>
          <ul className={css["can"]}>
            <May text={t("identity.mayWatch")} />
            <May text={t("identity.mayLimit")} />
            <Gated known={known} gate="play" />
            <Gated known={known} gate="deposit" />
            <Gated known={known} gate="withdrawal" />
          </ul>
        </Block>
        <Block title={t("identity.kept")}>
          <p>{t("identity.keptAbout")}</p>
        </Block>
      </div>
    </div>
  );
}

function Block({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={css["block"]} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

type StepState = "done" | "now" | "waits";

function Step(props: {
  readonly number: number;
  readonly state: StepState;
  readonly title: string;
  readonly about: string;
  readonly lamp: LampStatus;
  readonly word: string;
}) {
  const { number, state } = props;
  return (
    <li data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <span className={css["mark"]} aria-hidden="true">
        {state === "done" ? <Icon name="check" /> : number}
      </span>
      <h3>{props.title}</h3>
      <p>{props.about}</p>
      <Lamp status={props.lamp}>{props.word}</Lamp>
    </li>
  );
}

/** Kept together in a sentence that runs right to left. */
const apart = (text: string): string => `\u2068${text}\u2069`;
/** A calendar day, as the language writes it, without the marks that Arabic puts between its parts. */
function dayText(day: string, language: Language): string {
  const text = timeFormat(language, { ...DAY, timeZone: "UTC" }).format(Date.parse(day));
  return `\u2066${text.replaceAll(/[\u200e\u200f\u061c]/gu, "")}\u2069`;
}
const DAY = { day: "2-digit", month: "2-digit", year: "numeric" } as const;

function NameStep({ known, name }: { readonly known: IdentityAnswer; readonly name: string }) {
  const { t, language } = useText();
  const { birthDate, state, tooYoung, ageMin } = known;
  const isProved = birthDate !== null && state === "verified" && !tooYoung;
  const who = [...(name === "" ? [] : [apart(name)]), ...(birthDate === null ? [] : [dayText(birthDate, language)])];
  const said = `${who.join(", ")}${who.length > 0 ? ". " : ""}`;
  return (
    <Step
      number={1}
      state={isProved ? "done" : "now"}
      title={t("identity.name")}
      about={
        tooYoung
          ? `${said}${t("identity.tooYoung", { age: ageMin })}`
          : `${said}${t(birthDate === null ? "identity.birthDateMissing" : "identity.onRequest")}`
      }
      lamp={isProved ? "available" : "off"}
      word={isProved ? t("identity.state_verified") : t(birthDate === null ? "identity.missing" : "identity.notProved")}
    />
  );
}

const LAMPS = {
  none: "off",
  pending: "waiting",
  verified: "available",
  refused: "off",
  expired: "waiting",
} as const satisfies Record<IdentityAnswer["state"], LampStatus>;

function DocumentStep({ known }: { readonly known: IdentityAnswer }) {
  const { t, language } = useText();
  const { state, decidedAt, document, validUntil } = known;
  const facts = [
    ...(document === null ? [] : [apart(document)]),
    ...(validUntil === null ? [] : [t("identity.validUntil", { day: dayText(validUntil, language) })]),
  ];
  const time = decidedAt === null ? "" : `\u2066${dateTimeText(decidedAt, language)}\u2069`;
  const about = {
    none: t("identity.bring"),
    pending: t("identity.received", { time }),
    verified: facts.length === 0 ? t("identity.seen") : `${facts.join(", ")}.`,
    refused: t("identity.refused"),
    expired: t("identity.expired"),
  }[state];
  return (
    <Step
      number={2}
      state={state === "verified" ? "done" : "now"}
      title={t("identity.document")}
      about={about}
      lamp={LAMPS[state]}
      word={t(`identity.state_${state}`)}
    />
  );
}

function May({ text }: { readonly text: string }) {
  const { t } = useText();
  return (
    <li data-open>
      <Icon name="check" />
      <span>
        <span className="visually-hidden">{t("identity.opened")}: </span>
        {text}
      </span>
    </li>
  );
}

/** What a gate keeps closed, and why; where nothing is closed: that it is open. */
function Gated({ known, gate }: { readonly known: IdentityAnswer; readonly gate: IdentityGate }) {
  const { t } = useText();
  const { closed, tooYoung, ageMin } = known;
  if (!closed.includes(gate)) return <May text={t(OPEN[gate])} />;
  return (
    <li>
      <Icon name="lock" />
      <span>
        <span className="visually-hidden">{t("identity.closed")}: </span>
        {tooYoung && gate !== "withdrawal"
          ? t("identity.closedYoung", { age: ageMin })
          : t(CLOSED[gate], { age: ageMin })}
      </span>
    </li>
  );
}

const OPEN = {
  play: "identity.mayPlay",
  deposit: "identity.mayDeposit",
  withdrawal: "identity.mayWithdraw",
} as const satisfies Record<IdentityGate, TextKey>;
const CLOSED = {
  play: "identity.playLater",
  deposit: "identity.depositLater",
  withdrawal: "identity.withdrawLater",
} as const satisfies Record<IdentityGate, TextKey>;
