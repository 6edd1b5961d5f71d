import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { useValueText } from "../../shared/value-text.ts";
import css from "./approvals.module.css";

type Line = Approval["evidence"][number];

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
/** Ledger and machine of one line, minor units: "50000 / 20000". */
const PAIR = /^(-?\d{1,15}|–) \/ (-?\d{1,15}|–)$/;

/** `excluded until` → `excludedUntil`: labels of the platform are English words. */
const keyIn = (label: string): string => label.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Where it comes from, in the person's language; a label or a value that the console does not know stays as it is. */
export function Evidence({ lines }: { readonly lines: Approval["evidence"] }) {
  const { t } = useText();
  if (lines.length === 0) return null;
  return (
    <div>
      <h3 className="plate">{t("approvals.evidence")}</h3>
      <dl className={css["evidence"]}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two postings may be the same in every field.
          <EvidenceRow key={`${line.label} ${index}`} line={line} />
        ))}
      </dl>
    </div>
  );
}

/** A rule of a market, or a part of it, and which way it changes: "stakeCaps.under25 (looser)", "200 → 500". */
const RULE = /^(\w+)(?:\.(\w+))? \((stricter|looser|different)\)$/;

function EvidenceRow({ line }: { readonly line: Line }) {
  const { find } = useText();
  const said = useValue();
  const ruleOf = useRule();
  const { label, value, amount } = line;
  const rule = ruleOf(line);
  if (rule !== undefined)
    return (
      <div>
        <dt>{rule.label}</dt>
        <dd>{rule.value}</dd>
      </div>
    );
  return (
    <div>
      <dt>{find(`approvals.evidence_${keyIn(label)}`) ?? label}</dt>
      <dd>
        {value !== null && said(value)} {amount !== undefined && <Money minor={amount} tone="ink" />}
        {value === null && amount === undefined && "–"}
      </dd>
    </div>
  );
}

/** What a line says of a rule of a market; undefined: it is none that the console knows. */
function useRule(): (line: Line) => { readonly label: string; readonly value: string } | undefined {
  const { t, find } = useText();
  const valueText = useValueText();
  return ({ label, value }) => {
    const [, name = "", part, becomes] = RULE.exec(label) ?? [];
    const words = find(`market.rule_${name}`);
    const sides = value?.split(" → ").map(parsed) ?? [];
    if (words === undefined || sides.length !== 2 || sides.includes(undefined)) return undefined;
    const of = part === undefined ? "" : `, ${find(`market.value_${part}`) ?? part}`;
    const way = find(`market.becomes_${becomes}`) ?? "";
    const [before, after] = sides.map((side) => valueText(side, part === undefined ? name : `${name}.${part}`));
    return {
      label: `${words}${of} (${way})`,
      value: t("market.value_becomes", { before: before ?? "", after: after ?? "" }),
    };
  };
}

/** Undefined: no whole JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function useValue(): (value: string) => string {
  const { find, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const currency = useCurrency();
  return (value) => {
    if (INSTANT.test(value)) return whenText(value, clock.now(), venue.timeZone, language);
    const pair = PAIR.exec(value);
    const side = (text = "–") => (text === "–" ? text : moneyText(Number(text), currency, language));
    if (pair !== null) return `${side(pair[1])} / ${side(pair[2])}`;
    return find(`approvals.value_${keyIn(value)}`) ?? value;
  };
}
