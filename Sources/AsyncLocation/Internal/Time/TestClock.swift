/// A clock that a test advances. It reports the tasks that sleep on it as at rest.
package protocol TestClock: Clock {}
