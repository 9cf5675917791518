import AsyncLocation

/// The `place` command: prints the places at a point, or of a name.
struct PlaceCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when there is no place, or only a part of what was requested; places found are printed.
  func run(_ geocoder: any Geocoder) async throws -> ExitCode {
    do {
      try await show(places(geocoder))
      return .done
    } catch let error as LocationError where error.code == .geocodeFoundPartialResult {
      try await show(error.partialPlacemarks)
      throw LocationError(error.code, error.message)
    } catch let error as LocationError where error.code == .invalidValue {
      throw UsageError(error.message, command: .place)
    }
  }

  private func places(_ geocoder: any Geocoder) async throws -> [Placemark] {
    switch arguments.place {
    case .point(let point):
      try await geocoder.reverseGeocode(point, locale: arguments.locale)
    case .name(let name):
      try await geocoder.geocode(name, near: nil, locale: arguments.locale)
    case nil: throw PlaceQuery.missing
    }
  }

  private func show(_ found: [Placemark]) async throws {
    let placemarks = found.prefix(arguments.limit ?? (arguments.place?.isPoint == true ? 1 : 10))
    for placemark in placemarks {
      switch context.presentation.shape {
      case .json: try await context.output.write(JSONLine.line(placemark) + "\n")
      case .table, .lines: try await context.output.write(PlaceLine.line(placemark) + "\n")
      }
    }
    // In JSON it is a member.
    if context.presentation.shape != .json,
      let attribution = PlaceText.attribution(placemarks)
    {
      await context.say("data: \(attribution)")
    }
  }
}
