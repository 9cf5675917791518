package import AsyncLocation

/// The values of the sentences of one epoch, before they are validated.
package struct NMEAFix: Hashable, Sendable {
  package var latitude = 0.0
  package var longitude = 0.0
  package var altitude: Double?
  package var ellipsoidalAltitude: Double?
  package var horizontalAccuracy: Double?
  package var verticalAccuracy: Double?
  package var speed: Double?
  package var course: Double?
  package var mode: GNSSFix.Mode?
  package var status: GNSSFix.Status?
  package var horizontalDilution: Double?
  package var verticalDilution: Double?
  package var positionDilution: Double?
  package var satellitesUsed: Int?
  /// The number of satellites in the last complete view.
  package var satellitesVisible: Int?
  package var magneticVariation: Double?
  package var geoidSeparation: Double?
  package var differentialAge: Double?
  package var differentialStation: Int?
}
