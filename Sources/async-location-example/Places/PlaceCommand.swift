import AsyncLocation

extension Command {
  static let place = Command(
    name: "place",
    summary: "Prints the places at a point or of a name, without a receiver.",
    words: " LAT LON | NAME...",
    options: [.presentation, [.timeout, .limit, .locale, .nominatim]],
    notes: """
      The places of a point are the nearest one, and the city that it belongs to; those of a name
      come best first, and what they are in may follow: 'Paris, TX'. They are in the tool: it needs
      no network. One line for each place, with these columns, '-' where the value is unknown:
      \(Help.rows(PlaceLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one place per line, as the library encodes it. Status 1 when there is none,
      or only a part of what was asked for: a point far from any place, a name that is not where the
      words after it say, of which one letter may be wrong. Words that no country or division has
      are those of a place nearby, or of none.
      --nominatim asks a server, such as http://localhost:8080, and gives up after 10 seconds or
      --timeout. Negative numbers need no '--'; 48°8'14"N 11°34'31"E is a point, too.
      """,
    read: { arguments, words throws(UsageError) in arguments.place = try PlaceQuery.parse(words) },
    check: { arguments, given throws(UsageError) in
      if given.contains(.timeout), !given.contains(.nominatim) {
        throw UsageError(
          "--timeout limits the wait for a server; it needs --nominatim", command: arguments.command
        )
      }
    },
    run: { tool, arguments in
      try await PlaceCommand(arguments: arguments, context: tool.context)
        .run(tool.geocoder(arguments))
    })
}

/// The `place` command: prints the places at a point, or of a name.
struct PlaceCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Throws when no place is found, or places for only a part of the request, which are printed
  /// before.
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
      try await context.write(placemark) { PlaceLine.line(placemark) }
    }
    // JSON includes the attribution.
    if context.presentation.shape != .json,
      let attribution = PlaceText.attribution(placemarks)
    {
      await context.printMessage("data: \(attribution)")
    }
  }
}
