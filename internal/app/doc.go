// Package app is the GitHub App: a webhook server that takes events and answers at once, a durable queue of heads to check, and the workers that
// check them and post the results.
//
// The state is level-triggered. A row for each head revision says what is wanted of it, to be checked or to be ended with words, and what was
// done last; an event changes the rows in one transaction, and a job brings a head from what was done to what is wanted. So it does no harm when
// an event comes twice, late or in another order, when a job runs again, and when the process is killed between any two steps.
package app
