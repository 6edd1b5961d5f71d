/** SAS hosts that we did not write, and the setting that names the folder of each. They are never part of the repository. */
export const PEERS: Readonly<Record<string, string>> = {
  /** github.com/zacharytomlinson/saspy */
  saspy: "LONGARM_SASPY",
  /** github.com/mdedz/sas_comm_py */
  sas_comm_py: "LONGARM_SAS_COMM_PY",
};
