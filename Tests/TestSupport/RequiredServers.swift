import Foundation

/// Whether tests that need gpsd, mosquitto, PostgreSQL, PostGIS, dbus or GeoClue fail if it is
/// missing, instead of being skipped.
package let requiresServers =
  ProcessInfo.processInfo.environment["ASYNC_LOCATION_REQUIRE_GPSD"] == "1"
