import { useEffect, useState } from "react";
import { useText, useTexts } from "../../../../shared/i18n/use-text.ts";
import { IconButton } from "../../../../shared/ui/key.tsx";
import { Segment } from "../../../../shared/ui/segment.tsx";
import { Sheet } from "../../../../shared/ui/sheet.tsx";
import { SheetCountdown } from "../countdown.tsx";
import css from "./connection.module.css";
import { LinkFigures } from "./link-figures.tsx";
import { SaveForSupport } from "./save-for-support.tsx";
import { SelfTest } from "./self-test.tsx";
import { useSelfTest } from "./use-self-test.ts";

export type ConnectionView = "now" | "test";

/** What there is to know of the link, and the test that names what keeps the picture away. */
export function ConnectionSheet(props: {
  readonly open: boolean;
  /** What it opens with. */
  readonly first: ConnectionView;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const texts = useTexts();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    texts.need("connection").then(
      () => setReady(true),
      // Without its words it stays closed; they were asked for when the picture came.
      () => undefined,
    );
  }, [texts]);
  if (!ready) return null;
  return (
    <Sheet
      open={props.open}
      onClose={props.onClose}
      title={t("connection.title")}
      bareTitle
      className={css["sheet"] ?? ""}
      head={<SheetCountdown />}
    >
      <Contents {...props} />
    </Sheet>
  );
}

function Contents({ first, onClose }: { first: ConnectionView; onClose: () => void }) {
  const { t } = useText();
  const [view, setView] = useState(first);
  const test = useSelfTest(first === "test");
  return (
    <div className={css["contents"]}>
      <div className={css["head"]}>
        <p className={css["title"]} aria-hidden="true">
          {t("connection.title")}
        </p>
        <IconButton icon="close" label={t("app.close")} onClick={onClose} />
      </div>
      <Segment
        label={t("connection.views")}
        className={css["views"] ?? ""}
        value={view}
        onChange={setView}
        options={[
          { value: "now", label: t("connection.now") },
          { value: "test", label: t("connection.test") },
        ]}
      />
      {view === "now" ? <LinkFigures /> : <SelfTest test={test} />}
      <SaveForSupport findings={test.findings} />
    </div>
  );
}
