import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { rightText, roleText } from "../../shared/problem-text.ts";
import type { TextKey } from "../../shared/texts.ts";
import { Facts, Note } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import { useValueText } from "../../shared/value-text.ts";
import { amountIn, evidenceOf, instantIn, numberIn, textIn, textsIn } from "./content.ts";
import { useNames } from "./names.ts";

type Rows = readonly (readonly [name: string, value: ReactNode])[];
type Props = { readonly approval: Approval };

/** What exactly is signed, in words: whose money, how much, what is before and after. */
export function WhatHappens({ approval }: Props) {
  switch (approval.kind) {
    case "wallet.deposit":
    case "wallet.withdrawal":
      return <WalletMove approval={approval} />;
    case "handPay.pay":
      return <HandPay approval={approval} />;
    case "handPay.void":
      return <VoidedSlip approval={approval} />;
    case "discrepancy.explain":
      return <Explanation approval={approval} />;
    case "exclusion.lift":
      return <LiftedExclusion approval={approval} />;
    case "identity.correct":
      return <CorrectedBirthDate approval={approval} />;
    case "dispute.decide":
      return <DecidedQuestion approval={approval} />;
    case "market.loosen":
      return <LooserMarket approval={approval} />;
    case "bonus.grant":
      return <Bonus approval={approval} />;
    case "campaign.start":
      return <CampaignStart approval={approval} />;
    case "machine.configure":
      return <MachineChange approval={approval} />;
    case "stop.release":
      return <StopRelease approval={approval} />;
    case "staff.change":
      return textIn(approval.content, "role") === undefined ? (
        <RolesOfPerson approval={approval} />
      ) : (
        <RoleChange approval={approval} />
      );
    case "settings.change":
      return <Outcome words="approvals.outcome_settings" rows={[]} />;
    default:
      return <AsItIs approval={approval} />;
  }
}

/** A sentence, and the figures of it. */
function Outcome({
  words,
  given = {},
  rows,
}: {
  readonly words: TextKey;
  readonly given?: Readonly<Record<string, string | number>>;
  readonly rows: Rows;
}) {
  const { t } = useText();
  return (
    <>
      <p>{t(words, given)}</p>
      {rows.length > 0 && <Facts rows={rows} />}
    </>
  );
}

/** Of a kind, or with a content, that this console does not know: nothing is left out, and the person is warned. */
function AsItIs({ approval: { amount, content } }: Props) {
  const { t } = useText();
  const valueText = useValueText();
  const fields = Object.entries(content).map(([name, value]) => [name, valueText(value, name)] as const);
  return (
    <>
      <Note kind="wait">{t("approvals.notInWords")}</Note>
      <Facts
        rows={[
          ...(amount === null ? [] : ([[t("app.amount"), <Money key="amount" minor={amount} />]] as const)),
          ...fields,
        ]}
      />
    </>
  );
}

function useAmount(): (minor: number) => string {
  const { language } = useText();
  const currency = useCurrency();
  return (minor) => moneyText(minor, currency, language, true);
}

function WalletMove({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const said = useAmount();
  const { content, evidence, kind } = approval;
  const amount = numberIn(content, "amount");
  const [before, after] = [amountIn(evidence, "before"), amountIn(evidence, "after")];
  if (amount === undefined || before === undefined || after === undefined) return <AsItIs approval={approval} />;
  const isOut = kind === "wallet.withdrawal";
  return (
    <Outcome
      words={isOut ? "approvals.outcome_withdrawal" : "approvals.outcome_deposit"}
      given={{ player: names.player(approval), amount: said(amount) }}
      rows={[
        [t("approvals.walletBefore"), <Money key="before" minor={before} tone="ink" />],
        [
          t(isOut ? "approvals.paidOut" : "approvals.paidIn"),
          <Money key="amount" minor={isOut ? -amount : amount} signed />,
        ],
        [t("approvals.walletAfter"), <Money key="after" minor={after} tone="ink" />],
        [t("approvals.receipt"), textIn(content, "receipt") ?? t("approvals.ownReceipt")],
      ]}
    />
  );
}

function HandPay({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const said = useAmount();
  const { content, amount } = approval;
  const owed = numberIn(content, "machineAmount");
  if (owed === undefined || amount === null) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_handPay"
      given={{
        player: names.player(approval),
        machine: names.machine(approval, textIn(content, "machineId")),
        amount: said(amount),
      }}
      rows={[
        [t("approvals.owed"), <Money key="owed" minor={owed} tone="ink" />],
        [t("approvals.paid"), <Money key="paid" minor={amount} />],
        ...(owed === amount
          ? []
          : ([[t("approvals.apart"), <Money key="apart" minor={amount - owed} signed tone="ink" />]] as const)),
      ]}
    />
  );
}

function VoidedSlip({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const said = useAmount();
  const number = numberIn(approval.content, "number");
  if (number === undefined || approval.amount === null) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_void"
      given={{ player: names.player(approval), number, amount: said(approval.amount) }}
      rows={[[t("approvals.takenBack"), <Money key="back" minor={-approval.amount} signed />]]}
    />
  );
}

function Explanation({ approval }: Props) {
  const { t } = useText();
  const said = useAmount();
  const { content } = approval;
  const [number, inSuspense] = [numberIn(content, "number"), numberIn(content, "inSuspense")];
  const to = content["to"];
  const isKnown = to === null || to === "player" || to === "house";
  if (number === undefined || inSuspense === undefined || !isKnown) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words={`approvals.outcome_explain_${to ?? "none"}`}
      given={{ number, amount: said(inSuspense) }}
      rows={[
        [t("approvals.suspenseBefore"), <Money key="before" minor={inSuspense} tone="ink" />],
        [t("approvals.suspenseAfter"), <Money key="after" minor={0} tone="ink" />],
      ]}
    />
  );
}

function LiftedExclusion({ approval }: Props) {
  const { t } = useText();
  const when = useWhen();
  const names = useNames();
  const until = numberIn(approval.content, "until");
  if (until === undefined || Math.abs(until) > TIME_MS_MAX) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_lift"
      given={{ player: names.player(approval) }}
      rows={[
        [t("approvals.before"), when(new Date(until).toISOString())],
        [t("approvals.after"), <b key="after">{t("approvals.playsAgain")}</b>],
      ]}
    />
  );
}
/** The last instant that a date can be. */
const TIME_MS_MAX = 8_640_000_000_000_000;

function CorrectedBirthDate({ approval }: Props) {
  const { find } = useText();
  const names = useNames();
  const state = textIn(approval.content, "state");
  const words = state === undefined ? undefined : find(`identity.state_${state}`);
  if (words === undefined) return <AsItIs approval={approval} />;
  const isParted = evidenceOf(approval.evidence, "other accounts") === "different";
  return (
    <Outcome
      words={isParted ? "approvals.outcome_parted" : "approvals.outcome_correct"}
      given={{ player: names.player(approval), state: words }}
      rows={[]}
    />
  );
}

/** The words of the verdict are with the question, where they are read before they are signed. */
function DecidedQuestion({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const said = useAmount();
  const id = textIn(approval.content, "dispute");
  if (id === undefined || approval.amount === null) return <AsItIs approval={approval} />;
  const number = names.subject(approval);
  return (
    <>
      <Outcome
        words="approvals.outcome_dispute"
        given={{ player: names.player(approval), number, amount: said(approval.amount) }}
        rows={[]}
      />
      <Link to={`${paths.disputes}/$id` as string} params={{ id } as never}>
        {t("approvals.toQuestion", { number })}
      </Link>
    </>
  );
}

function LooserMarket({ approval }: Props) {
  const { t, find } = useText();
  const names = useNames();
  const { scope, subject } = approval.content;
  const nameOf = (key: string) => {
    const id = approval.content[key] ?? (scope === "venue" ? "none" : null);
    if (id === null) return t("market.ofVenue");
    return find(`market.name_${String(id).replaceAll("-", "")}`) ?? String(id);
  };
  const whose = subject === "" ? t("market.venue") : names.subject(approval);
  return (
    <Outcome
      words="approvals.outcome_market"
      given={{ name: whose, market: nameOf("market") }}
      rows={[
        [t("approvals.before"), nameOf("before")],
        [t("approvals.after"), <b key="after">{nameOf("market")}</b>],
      ]}
    />
  );
}

function Bonus({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const said = useAmount();
  const [amount, days] = [numberIn(approval.content, "amount"), numberIn(approval.content, "days")];
  if (amount === undefined || days === undefined) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_bonus"
      given={{ player: names.player(approval), amount: said(amount) }}
      rows={[
        [t("app.amount"), <Money key="amount" minor={amount} />],
        [t("approvals.claimed"), t("approvals.days", { count: days })],
      ]}
    />
  );
}

function CampaignStart({ approval }: Props) {
  const { t } = useText();
  const when = useWhen();
  const said = useAmount();
  const { content } = approval;
  const [name, amount, budget] = [textIn(content, "name"), numberIn(content, "amount"), numberIn(content, "budget")];
  const [days, from, until] = [
    numberIn(content, "claimDays"),
    instantIn(content, "startsAt"),
    instantIn(content, "endsAt"),
  ];
  const who = useAudience(content["audience"]);
  if (name === undefined || amount === undefined || budget === undefined || who === undefined)
    return <AsItIs approval={approval} />;
  if (days === undefined || from === undefined || until === undefined) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_campaign"
      given={{ name, amount: said(amount), budget: said(budget) }}
      rows={[
        [t("approvals.campaignEach"), <Money key="each" minor={amount} />],
        [t("approvals.campaignBudget"), <Money key="budget" minor={budget} />],
        [t("approvals.campaignWho"), who],
        [t("approvals.campaignRuns"), t("approvals.campaignSpan", { from: when(from), until: when(until) })],
        [t("approvals.claimed"), t("approvals.days", { count: days })],
      ]}
    />
  );
}

/** For whom a campaign is, in words; undefined: the content says it in no way that this console knows. */
function useAudience(content: unknown): string | undefined {
  const { t } = useText();
  const when = useWhen();
  if (typeof content !== "object" || content === null) return undefined;
  const audience = content as Approval["content"];
  const [is, players, brand] = [textIn(audience, "is"), numberIn(audience, "players"), textIn(audience, "brand")];
  if (is === "list" && players !== undefined) return t("approvals.campaignList", { players });
  const [from, until] = [instantIn(audience, "from"), instantIn(audience, "until")];
  if (from === undefined || until === undefined) return undefined;
  const span = { from: when(from), until: when(until) };
  if (is === "registered") return t("approvals.campaignRegistered", span);
  if (is !== "played") return undefined;
  return brand === undefined ? t("approvals.campaignPlayed", span) : t("approvals.campaignBrand", { ...span, brand });
}

function MachineChange({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const { content } = approval;
  const machine = names.machine(approval, textIn(content, "machine"));
  const act = textIn(content, "act");
  if (act === "retire" || act === "ramClear")
    return <Outcome words={`approvals.outcome_${act}`} given={{ machine }} rows={[]} />;
  const [hold, from, spread] = [numberIn(content, "hold"), textIn(content, "from"), numberIn(content, "spread")];
  if (textIn(content, "is") !== "paytable" || hold === undefined || from === undefined)
    return <AsItIs approval={approval} />;
  const before = evidenceOf(approval.evidence, "hold before");
  return (
    <Outcome
      words="approvals.outcome_paytable"
      given={{ machine, day: from }}
      rows={[
        [t("approvals.holdBefore"), before === undefined || before === "not known" ? "–" : before],
        [t("approvals.holdAfter"), <b key="hold">{hundredths(hold)} %</b>],
        [t("approvals.spread"), spread === undefined ? "–" : hundredths(spread)],
      ]}
    />
  );
}
const hundredths = (value: number): string => (value / 100).toFixed(2);

function StopRelease({ approval }: Props) {
  const machines = textsIn(approval.content, "machines");
  if (machines === undefined) return <AsItIs approval={approval} />;
  return <Outcome words="approvals.outcome_release" given={{ count: machines.length }} rows={[]} />;
}

function useRoles(): (roles: readonly string[]) => string {
  const speech = useText();
  return (roles) => roles.map((role) => roleText(speech, role)).join(", ") || speech.t("approvals.noRole");
}

function RolesOfPerson({ approval }: Props) {
  const { t } = useText();
  const names = useNames();
  const inWords = useRoles();
  const [before, after] = [textsIn(approval.content, "before"), textsIn(approval.content, "roles")];
  if (before === undefined || after === undefined) return <AsItIs approval={approval} />;
  return (
    <Outcome
      words="approvals.outcome_roles"
      given={{ name: names.subject(approval) }}
      rows={[
        [t("approvals.before"), inWords(before)],
        [t("approvals.after"), <b key="after">{inWords(after)}</b>],
      ]}
    />
  );
}

/** What a role gains and loses against what it may do now. */
function RoleChange({ approval }: Props) {
  const speech = useText();
  const { t } = speech;
  const said = useAmount();
  const roles = useRead("roles", {}, useMay("staff.see"));
  const role = textIn(approval.content, "role") ?? "";
  const wanted = textsIn(approval.content, "permissions");
  const limits = (approval.content["limits"] ?? {}) as Readonly<Record<string, unknown>>;
  if (wanted === undefined) return <AsItIs approval={approval} />;
  const now = roles.data?.rows.find((row) => row.role === role);
  const held: readonly string[] = now?.permissions ?? [];
  const inWords = (list: readonly string[]) => (list.length === 0 ? "–" : <Rights names={list} />);
  const limit = (value: unknown) => (typeof value === "number" ? said(value) : "–");
  const isWaiting = approval.state === "waiting" && now !== undefined;
  return (
    <Outcome
      words="approvals.outcome_role"
      given={{ role: roleText(speech, role) }}
      rows={[
        ...(isWaiting
          ? ([
              [t("approvals.gains"), inWords(wanted.filter((one) => !held.includes(one)))],
              [t("approvals.loses"), inWords(held.filter((one) => !wanted.includes(one)))],
            ] as const)
          : ([[t("approvals.may"), inWords(wanted)]] as const)),
        ...LIMITS.map(
          (kind) =>
            [
              t(`approvals.limit_${kind}`),
              isWaiting ? `${limit(now.limits[kind])} → ${limit(limits[kind])}` : limit(limits[kind]),
            ] as const,
        ),
      ]}
    />
  );
}

function Rights({ names }: { readonly names: readonly string[] }) {
  const speech = useText();
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>{rightText(speech, name)}</li>
      ))}
    </ul>
  );
}
const LIMITS = ["handPay", "wallet", "bonus"] as const;
