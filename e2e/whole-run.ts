/**
 * Whether everything is crossed with everything, as by `npm test -- all`. Every check has a form that is short in each run; what
 * one run more of the same kind adds is left to the whole one (decision 0118).
 */
export const WHOLE_RUN = process.env["LONGARM_TESTS"] === "all";
