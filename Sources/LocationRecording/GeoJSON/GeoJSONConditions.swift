public import AsyncLocation
public import FoundationEssentials

/// The conditions of a GeoJSON document (RFC 7946), for a `Monitor`, a `ConditionTracker` or a
/// fleet.
///
/// ```swift
/// let areas = try GeoJSONConditions(contentsOf: "areas.geojson")
/// try await monitor.add(contentsOf: areas.conditions)
/// ```
///
/// The document is a feature collection or a feature. A point with the property `radius` is a
/// circle, a line with the property `width` a corridor, both in metres; a polygon may have holes.
/// The identifier is the member `id`, else the property `identifier` or `name`. Each part of a
/// geometry with several parts is a condition: `id/1`, `id/2` and so on; a single part is `id`. The
/// property `dwell` is a number of seconds, `expiry` a time such as `2030-09-01T18:00:00Z`.
/// Other members and properties are ignored.
public struct GeoJSONConditions: Sendable, Hashable {
  /// The conditions, by their identifiers; at least one.
  public let conditions: [String: Condition]

  /// The reason that the features of a document are not conditions.
  struct Fault: Error, Hashable, Sendable {
    /// Nil if the fault is not in a feature.
    let feature: GeoJSON.Feature?
    let problem: Problem
  }

  enum Problem: Hashable, Sendable {
    case noFeatures
    case noGeometry
    case noIdentifier
    /// An identifier that a monitor does not accept.
    case invalidIdentifier
    case duplicateIdentifier(String, GeoJSON.Reference)
    /// A property that the geometry needs.
    case missingProperty(String, geometry: String)
    case invalidProperty(String, expected: String)
    /// An area that a `Condition` does not accept, with the reason.
    case invalidArea(String)
  }

  /// Reads the conditions of a document.
  ///
  /// - Parameter text: The document in UTF-8.
  /// - Throws: ``RecordingError`` with code ``RecordingError/Code/malformed``, or `tooLarge` for a
  ///   feature that needs more than 256 MiB of memory, with the line, and a message that names the
  ///   feature. Even one feature that is not a condition is an error.
  public init(_ text: [UInt8]) throws(RecordingError) {
    let document: GeoJSON
    do throws(GeoJSON.Fault) {
      document = try GeoJSON(text)
    } catch {
      throw RecordingError(error)
    }
    do throws(Fault) {
      conditions = try Self.conditions(of: document)
    } catch {
      throw RecordingError(.malformed, line: error.feature?.place.line, error.description)
    }
  }

  private static func conditions(of document: GeoJSON) throws(Fault) -> [String: Condition] {
    guard !document.features.isEmpty else { throw Fault(feature: nil, problem: .noFeatures) }
    var conditions: [String: Condition] = [:]
    var origins: [String: GeoJSON.Reference] = [:]
    for feature in document.features {
      for (identifier, condition) in try feature.conditions() {
        if let first = origins[identifier] {
          throw feature.fault(.duplicateIdentifier(identifier, first))
        }
        conditions[identifier] = condition
        origins[identifier] = feature.reference
      }
    }
    return conditions
  }

  /// The identifiers of the conditions whose expiry is at or before a date, sorted.
  public func expired(at date: Date) -> [String] {
    conditions.filter { $0.value.expiry.map { $0 <= date } ?? false }.keys.sorted()
  }
}
