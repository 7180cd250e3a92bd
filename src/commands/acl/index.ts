import { helpHandler } from '../help.js';
import { family } from '../table.js';
import { aclLoad, aclSave } from './files.js';
import { aclHelp } from './help.js';
import { aclCat, aclDryRun, aclGenPass, aclLog } from './inspect.js';
import { aclDelUser, aclGetUser, aclList, aclSetUser, aclUsers, aclWhoAmI } from './manage.js';
import { rows } from './rows.js';

export const acl = family(rows, {
  acl: {
    cat: aclCat,
    deluser: aclDelUser,
    dryrun: aclDryRun,
    genpass: aclGenPass,
    getuser: aclGetUser,
    help: helpHandler(aclHelp),
    list: aclList,
    load: aclLoad,
    log: aclLog,
    save: aclSave,
    setuser: aclSetUser,
    users: aclUsers,
    whoami: aclWhoAmI,
  },
});
