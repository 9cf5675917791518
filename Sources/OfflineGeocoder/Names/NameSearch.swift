internal import AsyncLocation

/// Finds the places of a name and ranks them. Pure.
struct NameSearch {
  enum Answer {
    /// The places, the best first.
    case places([Int])
    /// Places with the name, but outside the region that follows it.
    case elsewhere([Int])
    /// The name of a country or a division.
    case region
    case nothing
  }

  private let gazetteer: Gazetteer
  private let near: SpacePoint?
  private let limit: Int
  private var main: NameList { NameList(gazetteer: gazetteer, kind: .main) }
  private var alternates: NameList { NameList(gazetteer: gazetteer, kind: .alternate) }

  init(_ gazetteer: Gazetteer, near: Coordinate?, limit: Int) {
    self.gazetteer = gazetteer
    self.near = near.map(SpacePoint.init)
    self.limit = limit
  }

  func answer(_ text: String) -> Answer {
    let readings = NameQuery.readings(of: text, in: gazetteer).filter { !$0.key.isEmpty }
    if let code = readings.first, code.isCode(in: gazetteer), !isSpelled(code) { return .region }
    if let places = first(places(named:), of: readings) { return .places(places) }
    let divided = NameQuery.divided(text, in: gazetteer)
    if let places = first(places(named:), of: divided) { return .places(places) }
    for text in NameQuery.spelledOut(text) {
      let readings = NameQuery.readings(of: text, in: gazetteer)
      if let places = first(places(named:), of: readings) { return .places(places) }
    }
    // The name of a region does not match places whose names only begin with it.
    if let last = readings.last, last.isRegion(in: gazetteer),
      places(named: last.unqualified).isEmpty
    {
      return .region
    }
    if let plain = NameQuery.withoutNumbers(text) { return answer(plain) }
    for find in [places(beginningWith:), places(abbreviated:), places(misspelled:)] {
      if let places = first(find, of: readings) { return .places(places) }
    }
    for reading in readings where reading.isQualified {
      let unqualified = reading.unqualified
      // The second search is needed only if the first finds nothing: the first adds the places of
      // the second to its own.
      for find in [places(named:), places(beginningWith:)] {
        let places = find(unqualified)
        if !places.isEmpty { return .elsewhere(places) }
      }
    }
    return .nothing
  }

  /// The places that a search finds for the first reading with results.
  private func first(_ find: (NameQuery) -> [Int], of readings: [NameQuery]) -> [Int]? {
    readings.lazy.map(find).first { !$0.isEmpty }
  }

  /// The weight factors of a place whose main name is spelled exactly as the query, and of a place
  /// that has the name as an alternate name. A main name that is equal only when folded has the
  /// factor 1.
  private static let (spelledFactor, alternateFactor) = (2.0, 1.0 / 3)
  /// The minimum population of a city, and the factor of an alternate name that is the main name of
  /// such a city.
  private static let (cityPopulation, besideCityFactor) = (300_000, 0.1)

  /// The places with a name, followed by the places whose names begin with it; empty if no place
  /// has the name.
  private func places(named query: NameQuery) -> [Int] {
    var found = Ranking(limit: limit)
    let range = main.range(of: query.key, isPrefix: false)
    insert(range, of: main, query, into: &found) {
      gazetteer.name($0).string == query.spelling ? Self.spelledFactor : 1
    }
    let named = range.lazy.map(main.place)
    // A city ranks after its part with the same name: New Delhi is a part of Delhi, which has the
    // alternate name New Delhi.
    let cities = Set(named.compactMap(gazetteer.city))
    let isCity = found.places.contains { gazetteer.population($0) >= Self.cityPopulation }
    let factor = isCity ? Self.besideCityFactor : Self.alternateFactor
    insert(
      alternates.range(of: query.key, isPrefix: false), of: alternates, query, into: &found
    ) { cities.contains($0) ? 0 : factor }
    if !found.places.isEmpty { fill(&found, beginningWith: query, in: [main, alternates]) }
    return found.places
  }

  private func places(beginningWith query: NameQuery) -> [Int] {
    var found = Ranking(limit: limit)
    // Alternate names do not count if the name exists in another region: "Bern, Canada" must not
    // find Burnaby, which has an alternate name that begins with Bern.
    let isElsewhere = query.isQualified && !places(named: query.unqualified).isEmpty
    fill(&found, beginningWith: query, in: isElsewhere ? [main] : [main, alternates])
    return found.places
  }

  /// Adds places whose names begin with a name, list by list.
  private func fill(
    _ found: inout Ranking, beginningWith query: NameQuery, in lists: [NameList]
  ) {
    guard !query.isExact else { return }
    for list in lists where !found.isFull {
      found.beginGroup()
      insert(list.range(of: query.key, isPrefix: true), of: list, query, into: &found)
    }
  }

  /// Whether any place has a main name that is spelled exactly as the query.
  private func isSpelled(_ query: NameQuery) -> Bool {
    main.range(of: query.key, isPrefix: false).contains {
      gazetteer.name(main.place($0)).string == query.spelling
    }
  }

  private func places(abbreviated query: NameQuery) -> [Int] {
    guard !query.isExact, let name = AbbreviatedName(query.key) else { return [] }
    for list in [main, alternates] {
      var found = Ranking(limit: limit)
      for index in list.range(of: name.beginning, isPrefix: true)
      where name.abbreviates(list.name(index)) {
        insert(index..<index + 1, of: list, query, into: &found)
      }
      if !found.places.isEmpty { return found.places }
    }
    return []
  }

  private func places(misspelled query: NameQuery) -> [Int] {
    guard !query.isExact, query.key.count <= Misspelling.longest else { return [] }
    let corrections = Misspelling.corrections(of: query.key)
    for list in [main, alternates] {
      var found = Ranking(limit: limit)
      for correction in corrections {
        insert(list.range(of: correction, isPrefix: false), of: list, query, into: &found)
      }
      if !found.places.isEmpty { return found.places }
    }
    return []
  }

  /// Adds the places of a range of names to the current group of a ranking.
  ///
  /// - Parameter factor: The factor by which a place's weight is multiplied.
  private func insert(
    _ range: Range<Int>, of list: NameList, _ query: NameQuery, into found: inout Ranking,
    factor: (Int) -> Double = { _ in 1 }
  ) {
    let near = near ?? query.surroundings
    for index in range {
      let place = list.place(index)
      guard query.admits(division: gazetteer.division(place), of: gazetteer) else { continue }
      found.insert(place, weight(place, near) * factor(place))
    }
  }

  /// The population; divided by (1 + distance / 100 km)² if a point is given.
  private func weight(_ place: Int, _ near: SpacePoint?) -> Double {
    // Incremented by one, so that distances also rank places with an unknown population.
    let population = Double(gazetteer.population(place)) + 1
    guard let near else { return population }
    let chord = PlaceTree(nodes: gazetteer.places).point(place).squaredChord(to: near).squareRoot()
    let divisor = 1 + chord / (100_000 * SpacePoint.unitsPerMetre)
    return population / (divisor * divisor)
  }
}
