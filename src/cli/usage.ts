/** The parameters are not those of the subcommand: the message says which they are. */
export class Usage extends Error {}
