import type { MachineAbout } from "@longarm/contract/about-machine";
import { useEffect, useState } from "react";
import { operatorText } from "../../../../shared/contacts/operator-text.ts";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { LOCALES } from "../../../../shared/money/format.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Key } from "../../../../shared/ui/key.tsx";
import { usePlay } from "../play-context.ts";
import css from "./about-sheet.module.css";
import { Fact, FactList, GameSheet } from "./game-sheet.tsx";
import { PaytableView } from "./paytable.tsx";

/** What the machine is, what its game pays, and what holds when something goes wrong (player: paytable and rules beside the machine). */
export function AboutSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useText();
  return (
    <GameSheet open={open} onClose={onClose} title={t("play.about")} wide>
      <Contents />
    </GameSheet>
  );
}

function Contents() {
  const { t } = useText();
  const { statement, retry } = useAbout();
  return (
    <>
      <MachineFacts about={statement.is === "known" ? statement.about : undefined} />
      {statement.is === "waiting" && <p className={css["quiet"]}>{t("play.aboutWaits")}</p>}
      {statement.is === "failed" && (
        <div className={css["failed"]} role="alert">
          <p>{t("play.aboutFailed")}</p>
          <Key kind="line" onClick={retry}>
            {t("app.tryAgain")}
          </Key>
        </div>
      )}
      {statement.is === "known" && <Stated about={statement.about} />}
      <section className={css["part"]}>
        <h3 className="plate">{t("play.aboutMoney")}</h3>
        <p>{t("play.aboutMoneyMoves")}</p>
      </section>
      <section className={css["part"]}>
        <h3 className="plate">{t("play.aboutFaults")}</h3>
        <p>
          <b>{t("play.aboutMalfunction")}</b> {t("play.aboutDecides")}
        </p>
      </section>
    </>
  );
}

type Statement = { readonly is: "waiting" | "failed" } | { readonly is: "known"; readonly about: MachineAbout };

/** Requests the machine's statement each time the sheet opens. A platform that does not know the request states nothing. */
function useAbout(): { readonly statement: Statement; readonly retry: () => void } {
  const { session } = usePlay();
  const [statement, setStatement] = useState<Statement>({ is: "waiting" });
  const [round, setRound] = useState(1);
  useEffect(() => {
    let left = round === 0;
    setStatement({ is: "waiting" });
    void session.about().then((answer) => {
      if (left) return;
      if (answer.is === "done") setStatement({ is: "known", about: answer.data });
      else if (answer.is === "refused" && answer.refusal.name === "request.malformed")
        setStatement({ is: "known", about: {} });
      else setStatement({ is: "failed" });
    });
    return () => {
      left = true;
    };
  }, [session, round]);
  return { statement, retry: () => setRound((last) => last + 1) };
}

/** What every machine has. Undefined: the machine has not answered yet. */
function MachineFacts({ about }: { about: MachineAbout | undefined }) {
  const { t, language } = useText();
  const { session, deps } = usePlay();
  const machine = useLive(session.state, (state) => state.machine);
  const stakes = about?.stakes ?? deps.machine?.stakes;
  const returned = about?.return;
  const percent = new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 2 });
  const none = about === undefined ? "…" : t("play.aboutNotStated");
  return (
    <FactList className={css["machine"]}>
      <Fact name={t("play.aboutBrand")}>
        <bdi>{machine?.brand ?? deps.machine?.brand}</bdi>
      </Fact>
      <Fact name={t("play.aboutModel")}>
        <bdi>{about?.model ?? none}</bdi>
      </Fact>
      <Fact name={t("play.aboutCredit")}>
        {machine === undefined ? none : <Money minor={machine.denomination} tone="ink" />}
      </Fact>
      <Fact name={t("play.aboutStakes")}>
        {stakes === undefined ? (
          none
        ) : (
          <span dir="ltr">
            <Money minor={stakes.min} tone="ink" />
            {stakes.max > stakes.min && (
              <>
                {" – "}
                <Money minor={stakes.max} tone="ink" />
              </>
            )}
          </span>
        )}
      </Fact>
      <Fact name={t("play.aboutReturn")} wide>
        {returned === undefined ? (
          none
        ) : (
          <>
            <span className="num" dir="ltr">
              {t("play.aboutPercent", { value: percent.format(returned.percent) })}
            </span>
            <small>{t(returned.by === "operator" ? "play.aboutByOperator" : "play.aboutByMachine")}</small>
          </>
        )}
      </Fact>
    </FactList>
  );
}

function Stated({ about: { paytable, rules } }: { about: MachineAbout }) {
  const { t, language } = useText();
  return (
    <>
      {paytable === undefined ? (
        <section className={css["part"]}>
          <h3 className="plate">{t("play.aboutPays")}</h3>
          <p>{t("play.aboutNoPaytable")}</p>
        </section>
      ) : (
        <PaytableView paytable={paytable} />
      )}
      {rules !== undefined && operatorText(rules, language) !== "" && (
        <section className={css["part"]}>
          <h3 className="plate">{t("play.aboutRules")}</h3>
          <p className={css["said"]} dir="auto">
            {operatorText(rules, language)}
          </p>
        </section>
      )}
    </>
  );
}
